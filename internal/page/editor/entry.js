// What the page uses of CodeMirror. build.js bundles it into ../site/vendor/codemirror.js.
export { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
export {
  Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightActiveLine, highlightSpecialChars, hoverTooltip, keymap, lineNumbers,
  placeholder,
} from '@codemirror/view';
export { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
export { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from '@codemirror/language';
export { forEachDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
export { autocompletion, completionKeymap } from '@codemirror/autocomplete';
export { highlightSelectionMatches, openSearchPanel, searchKeymap } from '@codemirror/search';
export { tags } from '@lezer/highlight';

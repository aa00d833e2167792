#include "device.h"

// A byte-code interpreter: a switch in a loop, every lane at its own place.
enum { HALT, PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, LANE, DIV, REM, XOR };
KERNEL machine(const s8 *code, const u32 *entry, s32 *out, u32 *steps) {
  s32 stack[16];
  u32 sp = 0, pc = entry[gid()], n = 0;
  ROLLED for (;; n++) {
    s32 t;
    switch (code[pc++]) {
    case PUSH: stack[sp++] = code[pc++]; continue;
    case ADD: sp--; stack[sp - 1] += stack[sp]; continue;
    case SUB: sp--; stack[sp - 1] -= stack[sp]; continue;
    case MUL: sp--; stack[sp - 1] *= stack[sp]; continue;
    case DUP: stack[sp] = stack[sp - 1]; sp++; continue;
    case SWAP: t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; continue;
    case JNZ: t = code[pc++]; if (stack[--sp]) pc += t; continue;
    case LANE: stack[sp++] = lane(); continue;
    case DIV: sp--; stack[sp - 1] /= stack[sp]; continue;
    case REM: sp--; stack[sp - 1] %= stack[sp]; continue;
    case XOR: sp--; stack[sp - 1] ^= stack[sp]; continue;
    }
    break;
  }
  out[gid()] = stack[sp - 1];
  steps[gid()] = n;
}

// A state machine over text: words, numbers and comments counted.
KERNEL lexer(const u8 *text, u32 n, u32 *counts) {
  u32 state = 0, words = 0, numbers = 0, comments = 0;
  ROLLED for (u32 i = 0; i < n; i++) {
    u8 c = text[gid() * n + i];
    bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'z';
    switch (state) {
    case 1: if (letter || digit) break; state = 0; [[fallthrough]];
    case 0:
      if (letter) { words++; state = 1; }
      else if (digit) { numbers++; state = 2; }
      else if (c == '/') state = 3;
      break;
    case 2: if (digit) break; state = c == '.' ? 4 : letter ? 5 : c == '/' ? 3 : 0; break;
    case 3: if (c == '/') { comments++; state = 6; } else { state = 0; if (letter) { words++; state = 1; } } break;
    case 4: if (!digit) state = 0; break;
    case 5: if (!letter && !digit) state = 0; break;
    case 6: if (c == '\n') state = 0; break;
    }
  }
  counts[gid() * 3] = words;
  counts[gid() * 3 + 1] = numbers;
  counts[gid() * 3 + 2] = comments;
}

/* The forms of captures and graphs for streams of threads. */

int EXPORT(cuGraphLaunch_ptsz)(void *x, void *s) { return EXPORT(cuGraphLaunch)(x, OWN(s)); }
int EXPORT(cuGraphUpload_ptsz)(void *x, void *s) { return EXPORT(cuGraphUpload)(x, OWN(s)); }
int EXPORT(cuGraphInstantiateWithParams_ptsz)(void *out, void *g, void *params) { return EXPORT(cuGraphInstantiateWithParams)(out, g, params); }
int EXPORT(cuStreamBeginCapture_ptsz)(void *s) { return EXPORT(cuStreamBeginCapture)(OWN(s)); }
int EXPORT(cuStreamBeginCapture_v2_ptsz)(void *s, uint32_t mode) { return EXPORT(cuStreamBeginCapture_v2)(OWN(s), mode); }
int EXPORT(cuStreamBeginCaptureToGraph_ptsz)(void *s, void *g, void *needs, void *edges, uint64_t n, uint32_t mode) { return EXPORT(cuStreamBeginCaptureToGraph)(OWN(s), g, needs, edges, n, mode); }
int EXPORT(cuStreamEndCapture_ptsz)(void *s, void *out) { return EXPORT(cuStreamEndCapture)(OWN(s), out); }
int EXPORT(cuStreamGetCaptureInfo_ptsz)(void *s, void *status, void *id) { return EXPORT(cuStreamGetCaptureInfo)(OWN(s), status, id); }
int EXPORT(cuStreamGetCaptureInfo_v2_ptsz)(void *s, void *status, void *id, void *g, void *needs, void *n) { return EXPORT(cuStreamGetCaptureInfo_v2)(OWN(s), status, id, g, needs, n); }
int EXPORT(cuStreamGetCaptureInfo_v3_ptsz)(void *s, void *status, void *id, void *g, void *needs, void *edges, void *n) { return EXPORT(cuStreamGetCaptureInfo_v3)(OWN(s), status, id, g, needs, edges, n); }
int EXPORT(cuStreamUpdateCaptureDependencies_ptsz)(void *s, void *nodes, uint64_t n, uint32_t flags) { return EXPORT(cuStreamUpdateCaptureDependencies)(OWN(s), nodes, n, flags); }
int EXPORT(cuStreamUpdateCaptureDependencies_v2_ptsz)(void *s, void *nodes, void *edges, uint64_t n, uint32_t flags) { return EXPORT(cuStreamUpdateCaptureDependencies_v2)(OWN(s), nodes, edges, n, flags); }

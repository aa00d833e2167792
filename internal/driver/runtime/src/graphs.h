/* Graphs as a whole: making, edges, instantiation, launches, updates. Nodes and their parameters are in graph_nodes.h. */

API int cudaGraphCreate(void **graph, uint32_t flags) { WANT(graph); CALL(cuGraphCreate(graph, flags)); }
API int cudaGraphDestroy(void *graph) { CALL(cuGraphDestroy(graph)); }
API int cudaGraphClone(void **graph, void *original) { WANT(graph); CALL(cuGraphClone(graph, original)); }
API int cudaGraphDestroyNode(void *node) { CALL(cuGraphDestroyNode(node)); }
API int cudaGraphNodeFindInClone(void **node, void *original, void *clone) { WANT(node); CALL(cuGraphNodeFindInClone(node, original, clone)); }
API int cudaGraphNodeGetType(void *node, uint32_t *type) { WANT(type); CALL(cuGraphNodeGetType(node, type)); }
API int cudaGraphGetNodes(void *graph, void **nodes, size_t *n) { CALL(cuGraphGetNodes(graph, nodes, n)); }
API int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *n) { CALL(cuGraphGetRootNodes(graph, nodes, n)); }
API int cudaGraphDebugDotPrint(void *graph, const char *path, uint32_t flags) { CALL(cuGraphDebugDotPrint(graph, (void *)path, flags)); }
API int cudaGraphNodeGetEnabled(void *exec, void *node, uint32_t *enabled) { CALL(cuGraphNodeGetEnabled(exec, node, enabled)); }
API int cudaGraphNodeSetEnabled(void *exec, void *node, uint32_t enabled) { CALL(cuGraphNodeSetEnabled(exec, node, enabled)); }
#if CUDART_MAJOR >= 13
API int cudaGraphGetId(void *graph, uint32_t *id) { CALL(cuGraphGetId(graph, id)); }
API int cudaGraphExecGetId(void *exec, uint32_t *id) { CALL(cuGraphExecGetId(exec, id)); }
API int cudaGraphNodeGetLocalId(void *node, uint32_t *id) { CALL(cuGraphNodeGetLocalId(node, id)); }
API int cudaGraphNodeGetToolsId(void *node, uint64_t *id) { CALL(cuGraphNodeGetToolsId(node, id)); }
API int cudaGraphNodeGetContainingGraph(void *node, void **graph) { CALL(cuGraphNodeGetContainingGraph(node, graph)); }
#endif

/* ---- edges ---- */

#if CUDART_MAJOR <= 12
API int cudaGraphGetEdges(void *graph, void **from, void **to, size_t *n) { CALL(cuGraphGetEdges(graph, from, to, n)); }
API int cudaGraphNodeGetDependencies(void *node, void **list, size_t *n) { CALL(cuGraphNodeGetDependencies(node, list, n)); }
API int cudaGraphNodeGetDependentNodes(void *node, void **list, size_t *n) { CALL(cuGraphNodeGetDependentNodes(node, list, n)); }
API int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t n) { CALL(cuGraphAddDependencies(graph, (void *)from, (void *)to, n)); }
API int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t n) { CALL(cuGraphRemoveDependencies(graph, (void *)from, (void *)to, n)); }
#endif
#if CUDART_MAJOR >= 12
API int V2(cudaGraphGetEdges)(void *graph, void **from, void **to, void *edges, size_t *n) { CALL(cuGraphGetEdges_v2(graph, from, to, edges, n)); }
API int V2(cudaGraphNodeGetDependencies)(void *node, void **list, void *edges, size_t *n) { CALL(cuGraphNodeGetDependencies_v2(node, list, edges, n)); }
API int V2(cudaGraphNodeGetDependentNodes)(void *node, void **list, void *edges, size_t *n) { CALL(cuGraphNodeGetDependentNodes_v2(node, list, edges, n)); }
API int V2(cudaGraphAddDependencies)(void *graph, void *const *from, void *const *to, const void *edges, size_t n) { CALL(cuGraphAddDependencies_v2(graph, (void *)from, (void *)to, (void *)edges, n)); }
API int V2(cudaGraphRemoveDependencies)(void *graph, void *const *from, void *const *to, const void *edges, size_t n) { CALL(cuGraphRemoveDependencies_v2(graph, (void *)from, (void *)to, (void *)edges, n)); }
#endif

/* ---- instantiation and launches ---- */

#if CUDART_MAJOR == 11
API int cudaGraphInstantiate(void **exec, void *graph, void **bad, char *log, size_t size) { CALL(cuGraphInstantiate_v2(exec, graph, bad, log, size)); }
API int cudaGraphExecUpdate(void *exec, void *graph, void **bad, uint32_t *result) { CALL(cuGraphExecUpdate(exec, graph, bad, result)); }
#else
API int cudaGraphInstantiate(void **exec, void *graph, uint64_t flags) { CALL(cuGraphInstantiateWithFlags(exec, graph, flags)); }
API int cudaGraphInstantiateWithParams(void **exec, void *graph, void *params) { CALL(cuGraphInstantiateWithParams(exec, graph, params)); }
API int cudaGraphInstantiateWithParams_ptsz(void **exec, void *graph, void *params) { CALL(cuGraphInstantiateWithParams_ptsz(exec, graph, params)); }
API int cudaGraphExecGetFlags(void *exec, uint64_t *flags) { CALL(cuGraphExecGetFlags(exec, flags)); }
API int cudaGraphExecUpdate(void *exec, void *graph, struct update_result *result) { CALL(cuGraphExecUpdate_v2(exec, graph, result)); }
#endif
API int cudaGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags) { CALL(cuGraphInstantiateWithFlags(exec, graph, flags)); }
API int cudaGraphExecDestroy(void *exec) { CALL(cuGraphExecDestroy(exec)); }
FORMS(cudaGraphLaunch, (void *exec, void *s), cuGraphLaunch(exec, s))
FORMS(cudaGraphUpload, (void *exec, void *s), cuGraphUpload(exec, s))

/* ---- objects that a graph keeps, and memory of graphs ---- */

API int cudaUserObjectCreate(void **object, void *data, void (*destroy)(void *), uint32_t count, uint32_t flags) { CALL(cuUserObjectCreate(object, data, (void *)destroy, count, flags)); }
API int cudaUserObjectRetain(void *object, uint32_t count) { CALL(cuUserObjectRetain(object, count)); }
API int cudaUserObjectRelease(void *object, uint32_t count) { CALL(cuUserObjectRelease(object, count)); }
API int cudaGraphRetainUserObject(void *graph, void *object, uint32_t count, uint32_t flags) { CALL(cuGraphRetainUserObject(graph, object, count, flags)); }
API int cudaGraphReleaseUserObject(void *graph, void *object, uint32_t count) { CALL(cuGraphReleaseUserObject(graph, object, count)); }
API int cudaDeviceGetGraphMemAttribute(int32_t device, uint32_t attribute, void *value) { DEVICE(device); CALL(cuDeviceGetGraphMemAttribute(device, attribute, value)); }
API int cudaDeviceSetGraphMemAttribute(int32_t device, uint32_t attribute, void *value) { DEVICE(device); CALL(cuDeviceSetGraphMemAttribute(device, attribute, value)); }
API int cudaDeviceGraphMemTrim(int32_t device) { DEVICE(device); CALL(cuDeviceGraphMemTrim(device)); }

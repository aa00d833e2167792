package abi

import (
	"strings"
	"testing"
)

// abis lists ABIs by hand: the name, then version and suffix of each of its ABIs. The suffix "-" is
// the plain symbol.
const abis = `
cuCtxCreate 2000 - 3020 _v2 11040 _v3 12050 _v4
cuGetProcAddress 11030 - 12000 _v2
cuStreamGetCaptureInfo 10010 - 11030 _v2 12030 _v3
cuCtxSynchronize 2000 - 13000 _v2
cuCtxGetDevice 2000 - 13000 _v2
cuStreamGetCtx 9020 - 12050 _v2
cuMemAdvise 8000 - 12020 _v2
cuMemPrefetchAsync 8000 - 12020 _v2
cuEventElapsedTime 2000 - 12080 _v2
cuDeviceGetUuid 9020 - 11040 _v2
cuGraphAddKernelNode 10000 - 12000 _v2
cuGraphKernelNodeGetParams 10000 - 12000 _v2
cuGraphKernelNodeSetParams 10000 - 12000 _v2
cuGraphExecKernelNodeSetParams 10010 - 12000 _v2
cuGraphExecUpdate 10020 - 12000 _v2
cuGraphAddNode 12020 - 12030 _v2 13040 _v3
cuGraphNodeSetParams 12020 - 13040 _v2
cuGraphGetEdges 10000 - 12030 _v2
cuGraphNodeGetDependencies 10000 - 12030 _v2
cuGraphNodeGetDependentNodes 10000 - 12030 _v2
cuGraphAddDependencies 10000 - 12030 _v2
cuGraphRemoveDependencies 10000 - 12030 _v2
cuLaunchHostFunc 10000 - 13010 _v2
cuMemcpyBatchAsync 12080 - 13000 _v2
cuMemcpy3DBatchAsync 12080 - 13000 _v2
cuStreamBeginCapture 10000 - 10010 _v2
cuStreamUpdateCaptureDependencies 11030 - 12030 _v2
cuMulticastBindMem 12010 - 13010 _v2
cuMulticastBindAddr 12010 - 13010 _v2
cuStreamWaitValue32 8000 - 11070 _v2
cuStreamWriteValue32 8000 - 11070 _v2
cuStreamBatchMemOp 8000 - 11070 _v2
cuStreamWaitValue64 9000 - 11070 _v2
cuStreamWriteValue64 9000 - 11070 _v2
cuDevicePrimaryCtxRelease 7000 - 11000 _v2
cuDevicePrimaryCtxSetFlags 7000 - 11000 _v2
cuDevicePrimaryCtxReset 7000 - 11000 _v2
cuLinkCreate 5050 - 6050 _v2
cuLinkAddData 5050 - 6050 _v2
cuLinkAddFile 5050 - 6050 _v2
cuMemHostRegister 4000 - 6050 _v2
cuIpcOpenMemHandle 4010 - 11000 _v2
cuCtxDestroy 2000 - 4000 _v2
cuCtxPushCurrent 2000 - 4000 _v2
cuCtxPopCurrent 2000 - 4000 _v2
cuStreamDestroy 2000 - 4000 _v2
cuEventDestroy 2000 - 4000 _v2
cuMemAlloc 2000 - 3020 _v2
cuMemFree 2000 - 3020 _v2
cuMemAllocPitch 2000 - 3020 _v2
cuMemAllocHost 2000 - 3020 _v2
cuMemGetInfo 2000 - 3020 _v2
cuMemGetAddressRange 2000 - 3020 _v2
cuMemHostGetDevicePointer 2020 - 3020 _v2
cuMemcpyHtoD 2000 - 3020 _v2
cuMemcpyDtoH 2000 - 3020 _v2
cuMemcpyDtoD 2000 - 3020 _v2
cuMemcpyHtoDAsync 2000 - 3020 _v2
cuMemcpyDtoHAsync 2000 - 3020 _v2
cuMemcpyDtoDAsync 3000 - 3020 _v2
cuMemcpy2D 2000 - 3020 _v2
cuMemcpy3D 2000 - 3020 _v2
cuMemsetD8 2000 - 3020 _v2
cuMemsetD32 2000 - 3020 _v2
cuMemsetD2D16 2000 - 3020 _v2
cuModuleGetGlobal 2000 - 3020 _v2
cuDeviceTotalMem 2000 - 3020 _v2
cuArrayCreate 2000 - 3020 _v2
cuTexRefSetAddress2D 2020 - 3020 _v2 4010 _v3
cuGraphInstantiate 10000 - 11000 _v2
cuGraphInstantiateWithFlags 11040 -
cuMemcpy 4000 -
cuMemcpyPeer 4000 -
cuMemFreeHost 2000 -
cuMemAllocManaged 6000 -
cuLaunchKernel 4000 -
cuLaunchKernelEx 11060 -
cuLaunchCooperativeKernel 9000 -
cuInit 2000 -
cuDriverGetVersion 2020 -
cuGetExportTable 3000 -
cuProfilerStart 4000 -
cuGLGetDevices 4010 - 6050 _v2
cuVDPAUCtxCreate 3010 - 3020 _v2
cuEGLStreamProducerConnect 7000 -
`

// TestVersions asks for each ABI at its version, one step before the next ABI, and one step before
// the first one.
func TestVersions(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(strings.TrimSpace(abis)) {
		f := strings.Fields(line)
		name, list := f[0], f[1:]
		for _, flags := range []uint64{DefaultStream, LegacyStream} {
			expect(t, name, number(t, list[0])-10, flags, Driver, "", VersionNotSufficient)
			for i := 0; i < len(list); i += 2 {
				symbol := name + strings.TrimPrefix(list[i+1], "-")
				last := Driver
				if i+2 < len(list) {
					last = number(t, list[i+2]) - 10
				}
				expect(t, name, number(t, list[i]), flags, Driver, symbol, Success)
				expect(t, name, last, flags, Driver, symbol, Success)
			}
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			t.Fatalf("%q is not a number", text)
		}
		n = 10*n + int(c-'0')
	}
	return n
}

func expect(t *testing.T, name string, version int, flags uint64, driver int, symbol string, status Status) {
	t.Helper()
	if gotSymbol, gotStatus := Lookup(name, version, flags, driver); gotSymbol != symbol || gotStatus != status {
		t.Errorf("Lookup(%q, %d, %d, %d) = %q, %v; want %q, %v", name, version, flags, driver, gotSymbol, gotStatus, symbol, status)
	}
}

// TestStatus tests the results that are not a symbol of the legacy stream.
func TestStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		version int
		flags   uint64
		driver  int
		symbol  string
		status  Status
		reason  string
	}{
		{"", 0, 0, 13050, "", SymbolNotFound, "NVIDIA's runtime asks for an empty name"},
		{"", 13050, 2, 13050, "", SymbolNotFound, "an empty name"},
		{"cuMemAlloc_v2", 13050, 0, 13050, "", SymbolNotFound, "a symbol is not a name"},
		{"cuMemcpy_ptds", 13050, 2, 13050, "", SymbolNotFound, "a symbol is not a name"},
		{"cuMem", 13050, 0, 13050, "", SymbolNotFound, "a prefix is not a name"},
		{"zzz", 13050, 0, 13050, "", SymbolNotFound, "after the last name"},
		{"aaa", 13050, 0, 13050, "", SymbolNotFound, "before the first name"},
		{"cuinit", 13050, 0, 13050, "", SymbolNotFound, "names have cases"},
		{"cuInit", 0, 0, 13050, "", VersionNotSufficient, "version 0 is before all"},
		{"cuInit", -5, 0, 13050, "", VersionNotSufficient, "negative versions are before all"},
		{"cuInit", 13050, 0, 12080, "", InvalidValue, "the version is above the driver's"},
		{"cuInit", 12081, 0, 12080, "", InvalidValue, "the version is above the driver's by one"},
		{"cuInit", 12080, 0, 12080, "cuInit", Success, "the version is the driver's"},
		{"zzz", 13050, 0, 12080, "", InvalidValue, "the version is tested before the name"},
		{"cuInit", 12080, 3, 12080, "", InvalidValue, "two flags"},
		{"cuInit", 12080, 4, 12080, "", InvalidValue, "an unknown flag"},
		{"cuInit", 12080, 1 << 40, 12080, "", InvalidValue, "an unknown flag above 32 bits"},
		{"cuCtxSynchronize", 12080, 0, 13050, "cuCtxSynchronize", Success, "the version asked for decides, not the driver's"},

		{"cuInit", 12000, 2, 13050, "cuInit", Success, "no per-thread form"},
		{"cuMemAlloc", 12000, 2, 13050, "cuMemAlloc_v2", Success, "no per-thread form"},
		{"cuMemcpy", 7000, 2, 13050, "cuMemcpy_ptds", Success, "per thread"},
		{"cuMemcpy", 6050, 2, 13050, "", VersionNotSufficient, "per-thread functions begin with 7.0"},
		{"cuMemcpyHtoD", 12000, 2, 13050, "cuMemcpyHtoD_v2_ptds", Success, "per thread, second ABI"},
		{"cuMemcpyHtoD", 12000, 1, 13050, "cuMemcpyHtoD_v2", Success, "legacy by flag"},
		{"cuMemcpyHtoDAsync", 12000, 2, 13050, "cuMemcpyHtoDAsync_v2_ptsz", Success, "per thread, with a stream"},
		{"cuLaunchKernel", 12000, 2, 13050, "cuLaunchKernel_ptsz", Success, "per thread, with a stream"},
		{"cuStreamGetCaptureInfo", 11000, 2, 13050, "cuStreamGetCaptureInfo_ptsz", Success, "per thread, first ABI"},
		{"cuStreamGetCaptureInfo", 12020, 2, 13050, "cuStreamGetCaptureInfo_v2_ptsz", Success, "per thread, second ABI"},
		{"cuStreamGetCaptureInfo", 12030, 2, 13050, "cuStreamGetCaptureInfo_v3_ptsz", Success, "per thread, third ABI"},
		{"cuGraphInstantiate", 12000, 2, 13050, "cuGraphInstantiate_v2", Success, "no per-thread form"},
		{"cuGraphInstantiateWithParams", 12000, 2, 13050, "cuGraphInstantiateWithParams_ptsz", Success, "per thread"},
		{"cuGLMapBufferObject", 7000, 2, 13050, "cuGLMapBufferObject_v2_ptds", Success, "OpenGL, per thread"},
	} {
		symbol, status := Lookup(c.name, c.version, c.flags, c.driver)
		if symbol != c.symbol || status != c.status {
			t.Errorf("%s: Lookup(%q, %d, %d, %d) = %q, %v; want %q, %v", c.reason,
				c.name, c.version, c.flags, c.driver, symbol, status, c.symbol, c.status)
		}
	}
}

// TestParams compares prototypes with the ones that the documentation of the driver API prints, as
// kinds.
func TestParams(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for s := range Symbols() {
		var letters strings.Builder
		for _, k := range s.Params() {
			letters.WriteByte(byte(k))
		}
		got[s.Name] = letters.String()
	}
	for name, want := range map[string]string{
		"cuInit":                                    "u",            // (unsigned int Flags)
		"cuDeviceGet":                               "pi",           // (CUdevice *, int)
		"cuMemAlloc":                                "pu",           // (32-bit address *, unsigned int)
		"cuMemAlloc_v2":                             "pq",           // (CUdeviceptr *, size_t)
		"cuMemFree":                                 "u",            // (32-bit address)
		"cuMemFree_v2":                              "q",            // (CUdeviceptr)
		"cuMemcpyHtoD_v2_ptds":                      "qpq",          // (CUdeviceptr, const void *, size_t)
		"cuMemsetD8_v2":                             "qbq",          // (CUdeviceptr, unsigned char, size_t)
		"cuMemsetD16_v2":                            "qhq",          // (CUdeviceptr, unsigned short, size_t)
		"cuLaunchKernel":                            "puuuuuuuppp",  // (f, 3 x grid, 3 x block, shared, stream, params, extra)
		"cuLaunchKernelEx":                          "pppp",         // (config, f, params, extra)
		"cuTexRefSetMipmapLevelBias":                "pf",           // (texref, float)
		"cuIpcOpenMemHandle_v2":                     "pSu",          // (CUdeviceptr *, CUipcMemHandle, unsigned int)
		"cuMemAdvise":                               "qqui",         // (address, count, advice, CUdevice)
		"cuMemAdvise_v2":                            "qqus",         // (address, count, advice, CUmemLocation)
		"cuCtxSynchronize":                          "",             // (void)
		"cuCtxSynchronize_v2":                       "p",            // (CUcontext)
		"cuStreamGetCaptureInfo":                    "ppp",          // (stream, status, id)
		"cuStreamGetCaptureInfo_v2":                 "pppppp",       // and graph, dependencies, number
		"cuStreamGetCaptureInfo_v3":                 "ppppppp",      // and edges before the number
		"cuGetProcAddress":                          "ppiq",         // (symbol, pfn, int, cuuint64_t)
		"cuGetProcAddress_v2":                       "ppiqp",        // and the status
		"cuStreamWaitValue32_v2":                    "pquu",         // (stream, address, cuuint32_t, unsigned int)
		"cuStreamWaitValue64_v2":                    "pqqu",         // (stream, address, cuuint64_t, unsigned int)
		"cuTensorMapEncodeTiled":                    "puupppppuuuu", // (map, type, rank, address, dims, strides, box, steps, 4 enumerations)
		"cuProfilerInitialize":                      "ppu",          // (file, file, CUoutput_mode)
		"cuGraphicsGLRegisterImage":                 "puuu",         // (resource *, GLuint, GLenum, unsigned int)
		"cuEGLStreamConsumerConnect":                "pp",           // (connection *, stream)
		"cuVDPAUCtxCreate_v2":                       "puiup",        // (context *, unsigned int, CUdevice, VdpDevice, function *)
		"cuGraphInstantiateWithFlags":               "ppq",          // (exec *, graph, unsigned long long)
		"cuGraphInstantiate_v2":                     "ppppq",        // (exec *, graph, node *, char *, size_t)
		"cuEventElapsedTime_v2":                     "ppp",          // (float *, event, event)
		"cuMemHostRegister_v2":                      "pqu",          // (void *, size_t, unsigned int)
		"cuLinkAddData_v2":                          "pupqpupp",     // (state, type, data, size, name, number, options, values)
		"cuFuncSetAttribute":                        "pui",          // (function, attribute, int)
		"cuDeviceGetAttribute":                      "pui",          // (int *, attribute, CUdevice)
		"cuCtxCreate_v2":                            "pui",          // (context *, unsigned int, CUdevice)
		"cuCtxCreate_v3":                            "ppiui",        // (context *, affinity *, int, unsigned int, CUdevice)
		"cuCtxCreate_v4":                            "ppui",         // (context *, params *, unsigned int, CUdevice)
		"cuMemPrefetchAsync_v2_ptsz":                "qqsup",        // (address, count, CUmemLocation, unsigned int, stream)
		"cuStreamCreateWithPriority":                "pui",          // (stream *, unsigned int, int)
		"cuOccupancyMaxPotentialBlockSizeWithFlags": "ppppqiu",      // (int *, int *, function, callback, size_t, int, unsigned int)
	} {
		if p, ok := got[name]; !ok || p != want {
			t.Errorf("%s has the parameters %q, want %q", name, p, want)
		}
	}
}

// TestTable tests the order on which Lookup relies, and that the suffix of a symbol agrees with its
// other fields.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var last Symbol
	for s := range Symbols() {
		if last.Base > s.Base || last.Base == s.Base && (last.Stream > s.Stream || last.Stream == s.Stream && last.Version >= s.Version) {
			t.Errorf("%v is before %v", last, s)
		}
		if seen[s.Name] {
			t.Errorf("%s is there twice", s.Name)
		}
		perThread := strings.HasSuffix(s.Name, "_ptds") || strings.HasSuffix(s.Name, "_ptsz")
		if perThread != (s.Stream == PerThread) || !strings.HasPrefix(s.Name, s.Base) {
			t.Errorf("%v: the symbol does not agree with base and stream", s)
		}
		if s.Version < 2000 || s.Version > Driver || s.Version%10 != 0 {
			t.Errorf("%v: an impossible version", s)
		}
		if strings.Trim(s.params, "ibhuqfpsS") != "" {
			t.Errorf("%v: an unknown kind", s)
		}
		seen[s.Name] = true
		last = s
	}
	// Counted in the headers: 685 in cuda.h, 3 of the profiler, 18 of OpenGL, 12 of EGL, 5 of VDPAU.
	if len(seen) != 723 {
		t.Errorf("%d symbols, want 723", len(seen))
	}
}

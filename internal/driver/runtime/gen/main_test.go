//go:build linux && amd64

package main

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/internal/driver/runtime"
)

// packages returns the folder of the Python packages, or skips the test.
func packages(t *testing.T) string {
	t.Helper()
	for _, v := range runtime.Versions() {
		if _, err := os.Stat(filepath.Join(Package(Oracles(), v.Major), "lib", v.Soname)); err != nil {
			if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
				t.Fatalf("%v, but CROSSLANE_REQUIRE_ORACLES is 1; .ci/run install_tools installs it", err)
			}
			t.Skip("a library of the CUDA runtime is not installed; .ci/run install_tools installs it")
		}
	}
	return Oracles()
}

func TestOracleCurrent(t *testing.T) {
	t.Parallel()
	want, err := Generate(packages(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../ztable.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("ztable.go is not what the libraries say; run go generate ./internal/driver/runtime")
	}
}

// The libraries that Crosslane compiles export the names of NVIDIA's, with their versions, and no other name.
func TestOracleNames(t *testing.T) {
	t.Parallel()
	oracles, work := packages(t), t.TempDir()
	folder, err := runtime.Build(work, filepath.Join(work, "driver"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range runtime.Versions() {
		want, err := Exported(filepath.Join(Package(oracles, v.Major), "lib", v.Soname), v.Soname)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Exported(filepath.Join(folder, v.Soname), v.Soname)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, "__cudaCrosslaneManaged") // our own: the start-up code of crosslane toolchain calls it
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s lacks %s", v.Soname, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d names, want %d", v.Soname, len(got), len(want))
		}
	}
}

// An oracle compiles C against the headers of one version.
type oracle struct {
	t       *testing.T
	dir     string // of the C files: the source of the library, and a header that the packages lack
	include string
	major   int
}

// defines is what the headers want of crt/host_defines.h, which is in another package.
const defines = `#define __align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(a) __align__(a)
#define __host__
#define __device__
#define __CUDA_ARCH_HAS_FEATURE__(x) 0
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDACB
`

// oracleOf prepares the headers of a version and the source of the library.
func oracleOf(t *testing.T, v runtime.Version) oracle {
	t.Helper()
	o := oracle{t, t.TempDir(), filepath.Join(Package(packages(t), v.Major), "include"), v.Major}
	files, err := runtime.Files()
	if err != nil {
		t.Fatal(err)
	}
	files["crt/host_defines.h"] = defines
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(o.dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// compile compiles a C file and returns the output.
func (o oracle) compile(name, text string, args ...string) []byte {
	o.t.Helper()
	in, out := filepath.Join(o.dir, name), filepath.Join(o.dir, name+".out")
	if text != "" {
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			o.t.Fatal(err)
		}
	}
	args = append(args, "-w", fmt.Sprint("-DCUDART_MAJOR=", o.major), "-I", o.dir, "-I", o.include, "-o", out, in)
	if msg, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		o.t.Fatalf("cc %s: %v\n%s", name, err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		o.t.Fatal(err)
	}
	return data
}

// debug compiles a C file and returns its debug information.
func (o oracle) debug(name, text string) *dwarf.Data {
	o.t.Helper()
	f, err := elf.NewFile(bytes.NewReader(o.compile(name, text, "-c", "-g", "-fPIC")))
	if err != nil {
		o.t.Fatal(err)
	}
	d, err := f.DWARF()
	if err != nil {
		o.t.Fatal(err)
	}
	return d
}

const include = "#define __CUDA_API_VERSION_INTERNAL\n#include <cuda_runtime_api.h>\n"

// class returns how a value is passed: the size in bytes of a number, p for a pointer, and {n} for a structure.
func class(t dwarf.Type) string {
	switch x := t.(type) {
	case *dwarf.TypedefType:
		return class(x.Type)
	case *dwarf.QualType:
		return class(x.Type)
	case *dwarf.PtrType:
		return "p"
	case *dwarf.StructType:
		return fmt.Sprintf("{%d}", x.ByteSize)
	case *dwarf.FloatType:
		return fmt.Sprintf("f%d", x.ByteSize)
	case *dwarf.VoidType:
		return "v"
	}
	return strconv.FormatInt(t.Size(), 10)
}

// signature joins the classes of the parameters and of the result.
func signature(params []dwarf.Type, result dwarf.Type) string {
	var list []string
	for _, p := range params {
		if c := class(p); c != "v" { // that is f(void)
			list = append(list, c)
		}
	}
	if result == nil {
		return strings.Join(list, " ") + " -> v"
	}
	return strings.Join(list, " ") + " -> " + class(result)
}

// declared returns the signatures of the functions that the headers declare.
func (o oracle) declared() map[string]string {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(cuda[A-Z]\w*) *\(`).FindAllSubmatch(o.compile("names.c", include, "-E", "-P"), -1) {
		names[string(m[1])] = true
	}
	exported := slices.Collect(runtime.Names(o.major))
	src := bytes.NewBufferString(include)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if slices.Contains(exported, name) {
			fmt.Fprintf(src, "__typeof__(&%s) crosslane_%s;\n", name, name)
		}
	}
	d, out := o.debug("types.c", src.String()), map[string]string{}
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			o.t.Fatal(err)
		}
		if e == nil {
			return out
		}
		text, _ := e.Val(dwarf.AttrName).(string)
		name, ok := strings.CutPrefix(text, "crosslane_")
		if !ok || e.Tag != dwarf.TagVariable {
			continue
		}
		typ, err := d.Type(e.Val(dwarf.AttrType).(dwarf.Offset))
		if err != nil {
			o.t.Fatal(err)
		}
		f := typ.(*dwarf.PtrType).Type.(*dwarf.FuncType)
		out[name] = signature(f.ParamType, f.ReturnType)
	}
}

// defined returns the signatures of the functions of the library.
func (o oracle) defined() map[string]string {
	d, out := o.debug("cudart.c", ""), map[string]string{}
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			o.t.Fatal(err)
		}
		if e == nil {
			return out
		}
		if e.Tag != dwarf.TagSubprogram {
			continue
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if _, isDefined := e.Val(dwarf.AttrLowpc).(uint64); !isDefined || !strings.HasPrefix(strings.TrimLeft(name, "_"), "cuda") {
			r.SkipChildren()
			continue
		}
		typeOf := func(e *dwarf.Entry) dwarf.Type {
			off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
			if !ok {
				return nil
			}
			t, err := d.Type(off)
			if err != nil {
				o.t.Fatal(err)
			}
			return t
		}
		var params []dwarf.Type
		result := typeOf(e)
		for depth := 1; e.Children && depth > 0; {
			c, err := r.Next()
			if err != nil {
				o.t.Fatal(err)
			}
			if c.Tag == 0 {
				depth--
			} else if c.Children {
				depth++
			}
			if depth == 1 && c.Tag == dwarf.TagFormalParameter {
				params = append(params, typeOf(c))
			}
		}
		out[name] = signature(params, result)
	}
}

// The functions of the library have the parameters that the headers of each version declare.
func TestOraclePrototypes(t *testing.T) {
	t.Parallel()
	for _, v := range runtime.Versions() {
		o := oracleOf(t, v)
		want, got, compared := o.declared(), o.defined(), 0
		for name, s := range got {
			w, ok := want[name]
			if !ok && !strings.HasPrefix(name, "__cuda") && !slices.Contains(undeclared, name) {
				t.Errorf("CUDA %d: no header declares %s", v.Major, name)
			}
			if ok {
				compared++
				if s != w {
					t.Errorf("CUDA %d: %s has the parameters %q, want %q", v.Major, name, s, w)
				}
			}
		}
		t.Logf("CUDA %d: %d of %d functions compared", v.Major, compared, len(got))
		if compared < 250 {
			t.Errorf("CUDA %d: only %d functions were compared", v.Major, compared)
		}
	}
}

// undeclared are functions whose header is in another package.
var undeclared = []string{"cudaProfilerInitialize", "cudaProfilerStart", "cudaProfilerStop"}

// structures are the structures of src/structs.h, and the names of the API: members in their order.
const structures = `size3 dim3 x x y y z z
struct+extent struct+cudaExtent width width height height depth depth
struct+pos struct+cudaPos x x y y z z
struct+pitched struct+cudaPitchedPtr p ptr pitch pitch xsize xsize ysize ysize
struct+channel struct+cudaChannelFormatDesc x x y y z z w w kind f
struct+copy3d struct+cudaMemcpy3DParms src_array srcArray src_pos srcPos src srcPtr dst_array dstArray dst_pos dstPos dst dstPtr extent extent kind kind
struct+peer3d struct+cudaMemcpy3DPeerParms src_array srcArray src_pos srcPos src srcPtr src_device srcDevice dst_array dstArray dst_pos dstPos dst dstPtr dst_device dstDevice extent extent
struct+launch_config cudaLaunchConfig_t grid gridDim block blockDim shared dynamicSmemBytes stream stream attributes attrs count numAttrs
struct+function_attributes struct+cudaFuncAttributes shared sharedSizeBytes constant constSizeBytes local localSizeBytes max_threads maxThreadsPerBlock registers numRegs ptx_version ptxVersion binary_version binaryVersion cache_mode cacheModeCA max_dynamic_shared maxDynamicSharedSizeBytes carveout preferredShmemCarveout
struct+pointer_attributes struct+cudaPointerAttributes type type device device device_pointer devicePointer host_pointer hostPointer
struct+kernel_node struct+cudaKernelNodeParams func func grid gridDim block blockDim shared sharedMemBytes params kernelParams extra extra
struct+memset_node struct+cudaMemsetParams dst dst pitch pitch value value element elementSize width width height height
struct+crosslane_struct64 cudaIpcMemHandle_t
struct+crosslane_struct64 cudaIpcEventHandle_t
struct+crosslane_struct8 struct+cudaMemLocation
struct+driver_copy3d CUDA_MEMCPY3D src_x srcXInBytes src_z srcZ src_type srcMemoryType src_host srcHost src_device srcDevice src_pitch srcPitch src_height srcHeight dst_x dstXInBytes dst_type dstMemoryType dst_host dstHost dst_device dstDevice dst_pitch dstPitch dst_height dstHeight width WidthInBytes height Height depth Depth
struct+driver_copy2d CUDA_MEMCPY2D src_x srcXInBytes src_type srcMemoryType src_host srcHost src_device srcDevice src_pitch srcPitch dst_x dstXInBytes dst_type dstMemoryType dst_host dstHost dst_device dstDevice dst_pitch dstPitch width WidthInBytes height Height
struct+kernel_node CUDA_KERNEL_NODE_PARAMS_v1 func func grid gridDimX block blockDimX shared sharedMemBytes params kernelParams extra extra
struct+memset_node CUDA_MEMSET_NODE_PARAMS_v1 dst dst pitch pitch value value element elementSize width width height height
struct+launch_config CUlaunchConfig grid gridDimX block blockDimX shared sharedMemBytes stream hStream attributes attrs count numAttrs
cudaLaunchAttribute CUlaunchAttribute id id val value
struct+cudaMemPoolProps CUmemPoolProps allocType allocType handleTypes handleTypes location location
struct+cudaMemAccessDesc CUmemAccessDesc location location flags flags
struct+cudaMemAllocNodeParams CUDA_MEM_ALLOC_NODE_PARAMS poolProps poolProps accessDescs accessDescs accessDescCount accessDescCount bytesize bytesize dptr dptr
struct+cudaHostNodeParams CUDA_HOST_NODE_PARAMS fn fn userData userData`

// structures12 are those of CUDA 12 and 13.
const structures12 = `
struct+function_attributes struct+cudaFuncAttributes cluster_must_be_set clusterDimMustBeSet cluster requiredClusterWidth cluster_policy clusterSchedulingPolicyPreference nonportable_cluster nonPortableClusterSizeAllowed
struct+update_result cudaGraphExecUpdateResultInfo result result node errorNode from errorFromNode
struct+any_node struct+cudaGraphNodeParams type type value kernel last reserved2
struct+any_node CUgraphNodeParams type type value kernel
cudaGraphInstantiateParams CUDA_GRAPH_INSTANTIATE_PARAMS flags flags uploadStream hUploadStream result_out result_out`

// The structures have the sizes and the offsets of the headers.
func TestOracleStructures(t *testing.T) {
	t.Parallel()
	for _, v := range runtime.Versions() {
		o, list := oracleOf(t, v), structures
		if v.Major >= 12 {
			list += structures12
		}
		src := bytes.NewBufferString(include + "#include <cuda.h>\n#include <stddef.h>\n#include <stdint.h>\nstruct crosslane_struct8 { uint32_t word[2]; };\nstruct crosslane_struct64 { uint64_t word[8]; };\n#include \"structs.h\"\n")
		for _, line := range strings.Split(list, "\n") {
			f := strings.Fields(strings.ReplaceAll(line, "+", "\x00"))
			for i := range f {
				f[i] = strings.ReplaceAll(f[i], "\x00", " ")
			}
			ours, theirs := f[0], f[1]
			if v.Major == 11 && theirs == "CUDA_MEM_ALLOC_NODE_PARAMS" {
				continue // the header of the driver calls it so since 11.4, with the same members
			}
			fmt.Fprintf(src, "_Static_assert(sizeof(%s) == sizeof(%s), \"size of %s\");\n", ours, theirs, theirs)
			for i := 2; i < len(f); i += 2 {
				fmt.Fprintf(src, "_Static_assert(offsetof(%s, %s) == offsetof(%s, %s), \"%s of %s\");\n", ours, f[i], theirs, f[i+1], f[i+1], theirs)
			}
		}
		o.compile("structures.c", src.String(), "-c")
	}
}

// attributeNames are the members of cudaDeviceProp whose attributes have another name than theirs, behind cudaDevAttr.
var attributeNames = map[string]string{
	"sharedMemPerBlock": "MaxSharedMemoryPerBlock", "regsPerBlock": "MaxRegistersPerBlock", "memPitch": "MaxPitch", "maxThreadsDim": "MaxBlockDimX",
	"maxGridSize": "MaxGridDimX", "totalConstMem": "TotalConstantMemory", "major": "ComputeCapabilityMajor", "minor": "ComputeCapabilityMinor",
	"deviceOverlap": "GpuOverlap", "multiProcessorCount": "MultiProcessorCount", "kernelExecTimeoutEnabled": "KernelExecTimeout",
	"maxTexture1D": "MaxTexture1DWidth", "maxTexture1DMipmap": "MaxTexture1DMipmappedWidth", "maxTexture1DLinear": "MaxTexture1DLinearWidth", "maxTexture2D": "MaxTexture2DWidth",
	"maxTexture2DMipmap": "MaxTexture2DMipmappedWidth", "maxTexture2DLinear": "MaxTexture2DLinearWidth", "maxTexture2DGather": "MaxTexture2DGatherWidth",
	"maxTexture3D": "MaxTexture3DWidth", "maxTexture3DAlt": "MaxTexture3DWidthAlt", "maxTextureCubemap": "MaxTextureCubemapWidth",
	"maxTexture1DLayered": "MaxTexture1DLayeredWidth", "maxTexture2DLayered": "MaxTexture2DLayeredWidth", "maxTextureCubemapLayered": "MaxTextureCubemapLayeredWidth",
	"maxSurface1D": "MaxSurface1DWidth", "maxSurface2D": "MaxSurface2DWidth", "maxSurface3D": "MaxSurface3DWidth", "maxSurface1DLayered": "MaxSurface1DLayeredWidth",
	"maxSurface2DLayered": "MaxSurface2DLayeredWidth", "maxSurfaceCubemap": "MaxSurfaceCubemapWidth", "maxSurfaceCubemapLayered": "MaxSurfaceCubemapLayeredWidth",
	"ECCEnabled": "EccEnabled", "pciBusID": "PciBusId", "pciDeviceID": "PciDeviceId", "pciDomainID": "PciDomainId", "memoryBusWidth": "GlobalMemoryBusWidth",
	"persistingL2CacheMaxSize": "MaxPersistingL2CacheSize", "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor", "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
	"cooperativeMultiDeviceLaunch": "CooperativeMultiDeviceLaunch", "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin", "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
	"accessPolicyMaxWindowSize": "MaxAccessPolicyWindowSize", "reservedSharedMemPerBlock": "ReservedSharedMemoryPerBlock", "ipcEventSupported": "IpcEventSupport",
	"gpuDirectRDMASupported": "GPUDirectRDMASupported", "gpuDirectRDMAFlushWritesOptions": "GPUDirectRDMAFlushWritesOptions", "gpuDirectRDMAWritesOrdering": "GPUDirectRDMAWritesOrdering",
	"gpuPciDeviceID": "GpuPciDeviceId", "gpuPciSubsystemID": "GpuPciSubsystemId", "deviceNumaConfig": "NumaConfig", "deviceNumaId": "NumaId",
}

// unnamed are members for whose attributes the runtime's header has no name, or none in some version; the numbers are those
// of CUdevice_attribute.
var unnamed = map[string]int{"unifiedAddressing": 41, "cooperativeMultiDeviceLaunch": 96, "unifiedFunctionPointers": 129, "gpuPciDeviceID": 139}

// The library puts each attribute where the header of each version has the member of cudaDeviceProp for it.
func TestOracleProperties(t *testing.T) {
	t.Parallel()
	files, err := runtime.Files()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range runtime.Versions() {
		o := oracleOf(t, v)
		d := o.debug("properties.c", include+"struct cudaDeviceProp p; enum cudaDeviceAttr a;\n")
		numbers := map[string]int{}
		var members []*dwarf.StructField
		for r := d.Reader(); ; {
			e, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				break
			}
			name, _ := e.Val(dwarf.AttrName).(string)
			switch {
			case e.Tag == dwarf.TagEnumerator:
				n, _ := e.Val(dwarf.AttrConstValue).(int64)
				numbers[name] = int(n)
			case e.Tag == dwarf.TagStructType && name == "cudaDeviceProp" && e.Children:
				s, err := d.Type(e.Offset)
				if err != nil {
					t.Fatal(err)
				}
				members = s.(*dwarf.StructType).Field
			}
		}
		// The library's table: where each attribute goes, and the bytes of each value.
		type place struct{ attribute, count, wide int }
		places := map[int]place{}
		for _, m := range regexp.MustCompile(`\{ (\d+), (\d), (\d), \{ (-?\d+), (-?\d+), (-?\d+) \} \}`).FindAllStringSubmatch(files["device.h"], -1) {
			var n [6]int
			for k := range n {
				n[k], _ = strconv.Atoi(m[k+1])
			}
			if at := n[3+i]; at >= 0 {
				places[at] = place{n[0], n[1], n[2]}
			}
		}
		for at, p := range maps.Clone(places) { // two members with one entry
			if p.attribute == 75 {
				places[at], places[at+4] = place{75, 1, 0}, place{76, 1, 0}
			}
		}
		seen := 0
		for _, m := range members {
			if slices.Contains([]string{"name", "uuid", "luid", "luidDeviceNodeMask", "totalGlobalMem", "reserved"}, m.Name) {
				continue
			}
			want, ok := unnamed[m.Name]
			if !ok {
				name := "cudaDevAttr" + strings.ToUpper(m.Name[:1]) + m.Name[1:]
				if other, known := attributeNames[m.Name]; known {
					name = "cudaDevAttr" + other
				}
				if want, ok = numbers[name]; !ok {
					t.Errorf("CUDA %d: the header has no attribute %s for %s", v.Major, name, m.Name)
					continue
				}
			}
			got, ok := places[int(m.ByteOffset)]
			bytes := got.count * 4
			if got.wide == 1 {
				bytes = 8
			}
			if !ok || got.attribute != want || int64(bytes) != m.Type.Size() {
				t.Errorf("CUDA %d: %s at %d has %d bytes and the attribute %d; the library puts %+v there", v.Major, m.Name, m.ByteOffset, m.Type.Size(), want, got)
			}
			seen++
		}
		if seen != len(places) || seen < 60 {
			t.Errorf("CUDA %d: %d members compared, %d entries", v.Major, seen, len(places))
		}
	}
}

// The numbers and names of errors are those of the headers.
func TestOracleErrors(t *testing.T) {
	t.Parallel()
	files, err := runtime.Files()
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]int{}
	for _, m := range regexp.MustCompile(`\{ (\d+), "(cuda\w+)",`).FindAllStringSubmatch(files["errors.h"], -1) {
		ours[m[2]], _ = strconv.Atoi(m[1])
	}
	for _, v := range runtime.Versions() {
		o := oracleOf(t, v)
		d := o.debug("errors.c", include+"enum cudaError e;\n")
		seen := 0
		for r := d.Reader(); ; {
			e, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				break
			}
			name, _ := e.Val(dwarf.AttrName).(string)
			if e.Tag != dwarf.TagEnumerator || !(strings.HasPrefix(name, "cudaError") || name == "cudaSuccess") {
				continue
			}
			n, _ := e.Val(dwarf.AttrConstValue).(int64)
			got, ok := ours[name]
			if seen++; !ok || int64(got) != n {
				t.Errorf("CUDA %d: %s is %d, want %d", v.Major, name, got, n)
			}
		}
		if seen < 120 {
			t.Errorf("CUDA %d: only %d errors were compared", v.Major, seen)
		}
	}
}

/* Names and texts of errors (hipError_t). */

static const struct { int code; const char *name, *text; } errors[] = {
	{ 0, "hipSuccess", "no error" },
	{ 1, "hipErrorInvalidValue", "invalid argument" },
	{ 2, "hipErrorOutOfMemory", "out of memory" },
	{ 3, "hipErrorNotInitialized", "initialization error" },
	{ 4, "hipErrorDeinitialized", "driver shutting down" },
	{ 9, "hipErrorInvalidConfiguration", "invalid configuration argument" },
	{ 12, "hipErrorInvalidPitchValue", "invalid pitch argument" },
	{ 13, "hipErrorInvalidSymbol", "invalid device symbol" },
	{ 17, "hipErrorInvalidDevicePointer", "invalid device pointer" },
	{ 21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy" },
	{ 35, "hipErrorInsufficientDriver", "driver version is insufficient for runtime version" },
	{ 52, "hipErrorMissingConfiguration", "__global__ function call is not configured" },
	{ 53, "hipErrorPriorLaunchFailure", "unspecified launch failure in prior launch" },
	{ 98, "hipErrorInvalidDeviceFunction", "invalid device function" },
	{ 100, "hipErrorNoDevice", "no ROCm-capable device is detected" },
	{ 101, "hipErrorInvalidDevice", "invalid device ordinal" },
	{ 200, "hipErrorInvalidImage", "device kernel image is invalid" },
	{ 201, "hipErrorInvalidContext", "invalid device context" },
	{ 209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device" },
	{ 217, "hipErrorPeerAccessUnsupported", "peer access is not supported between these two devices" },
	{ 218, "hipErrorInvalidKernelFile", "invalid kernel file" },
	{ 300, "hipErrorInvalidSource", "device kernel image is invalid" },
	{ 301, "hipErrorFileNotFound", "file not found" },
	{ 302, "hipErrorSharedObjectSymbolNotFound", "shared object symbol not found" },
	{ 303, "hipErrorSharedObjectInitFailed", "shared object initialization failed" },
	{ 304, "hipErrorOperatingSystem", "OS call failed or operation not supported on this OS" },
	{ 400, "hipErrorInvalidHandle", "invalid resource handle" },
	{ 401, "hipErrorIllegalState", "the operation cannot be performed in the present state" },
	{ 500, "hipErrorNotFound", "named symbol not found" },
	{ 600, "hipErrorNotReady", "device not ready" },
	{ 700, "hipErrorIllegalAddress", "an illegal memory access was encountered" },
	{ 701, "hipErrorLaunchOutOfResources", "too many resources requested for launch" },
	{ 702, "hipErrorLaunchTimeOut", "the launch timed out and was terminated" },
	{ 704, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled" },
	{ 705, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled" },
	{ 708, "hipErrorSetOnActiveProcess", "cannot set while device is active in this process" },
	{ 709, "hipErrorContextIsDestroyed", "context is destroyed" },
	{ 710, "hipErrorAssert", "device-side assert triggered" },
	{ 712, "hipErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped" },
	{ 713, "hipErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region" },
	{ 719, "hipErrorLaunchFailure", "unspecified launch failure" },
	{ 720, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch" },
	{ 801, "hipErrorNotSupported", "operation not supported" },
	{ 900, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing" },
	{ 901, "hipErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture" },
	{ 902, "hipErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences" },
	{ 903, "hipErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began" },
	{ 904, "hipErrorStreamCaptureUnjoined", "capturing stream has unjoined work" },
	{ 905, "hipErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream" },
	{ 906, "hipErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream" },
	{ 907, "hipErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream" },
	{ 908, "hipErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread" },
	{ 910, "hipErrorGraphExecUpdateFailure", "the graph update was not performed" },
	{ 999, "hipErrorUnknown", "unknown error" },
};

static const char *error_text(int code, int text)
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].code == code)
			return text ? errors[i].text : errors[i].name;
	return text ? "unrecognized error code" : "hipErrorUnknown";
}

HIP_TEXT(hipGetErrorName)(int code) { return error_text(code, 0); }
HIP_TEXT(hipGetErrorString)(int code) { return error_text(code, 1); }
HIP(hipDrvGetErrorName)(int code, const char **out) { if (!out) return hipErrorInvalidValue; *out = error_text(code, 0); return hipSuccess; }
HIP(hipDrvGetErrorString)(int code, const char **out) { if (!out) return hipErrorInvalidValue; *out = error_text(code, 1); return hipSuccess; }

// The kind of every driver call that CUPTI reports, except those that launch work (kLaunches in
// driver_calls.cpp). A call that is in no list may launch anything, so an iteration that contains it is not
// replayed. A test fails if an id of cupti_driver_cbid.h is in no list.

#include <array>
#include <initializer_list>
#include <span>

#include "cuda/calls/driver_calls.hpp"
#include "cuda/driver/callback_ids.hpp"

namespace kjoule::cuda {

namespace {

/// The kinds of calls by id, except for the kind of launches (LaunchTable).
class KindTable {
 public:
  /// A call that is in two lists is an error at compile time.
  constexpr void add(DriverCallKind kind, std::span<const CUpti_CallbackId> ids) {
    for (const CUpti_CallbackId id : ids) {
      if (kinds_[id] != DriverCallKind::unknown) throw "a call has two kinds";
      kinds_[id] = kind;
    }
  }
  constexpr const std::array<DriverCallKind, kCallbackIds>& kinds() const { return kinds_; }

 private:
  std::array<DriverCallKind, kCallbackIds> kinds_{};
};

constexpr void add_handled(KindTable& table) {
  const auto add = [&](DriverCallKind kind, std::initializer_list<CUpti_CallbackId> ids) {
    table.add(kind, std::span(ids.begin(), ids.size()));
  };
  add(DriverCallKind::allocate,
      {KJOULE_CBID(cuMemAlloc_v2), KJOULE_CBID(cuMemAllocPitch_v2), KJOULE_CBID(cuMemMap),
       KJOULE_CBID(cuMemAllocManaged), KJOULE_CBID(cuMemHostAlloc), KJOULE_CBID(cuMemAllocHost_v2),
       KJOULE_CBID(cuMemHostRegister_v2), KJOULE_AND_PTSZ(cuMemAllocAsync),
       KJOULE_AND_PTSZ(cuMemAllocFromPoolAsync)});
  add(DriverCallKind::release,
      {KJOULE_CBID(cuMemFree_v2), KJOULE_CBID(cuMemUnmap), KJOULE_CBID(cuMemFreeHost),
       KJOULE_CBID(cuMemHostUnregister), KJOULE_AND_PTSZ(cuMemFreeAsync)});
  add(DriverCallKind::create_memory, {KJOULE_CBID(cuMemCreate)});
  add(DriverCallKind::share,
      {KJOULE_CBID(cuIpcOpenMemHandle), KJOULE_CBID(cuIpcOpenMemHandle_v2), KJOULE_CBID(cuIpcCloseMemHandle),
       KJOULE_CBID(cuIpcOpenEventHandle), KJOULE_CBID(cuMemImportFromShareableHandle),
       KJOULE_CBID(cuMemPoolImportPointer), KJOULE_CBID(cuExternalMemoryGetMappedBuffer)});
  add(DriverCallKind::instantiate,
      {KJOULE_CBID(cuGraphInstantiateWithFlags), KJOULE_CBID(cuGraphInstantiate_v2),
       KJOULE_CBID(cuGraphInstantiate), KJOULE_AND_PTSZ(cuGraphInstantiateWithParams)});
  add(DriverCallKind::change_graph,
      {KJOULE_CBID(cuGraphExecUpdate_v2), KJOULE_CBID(cuGraphExecUpdate),
       KJOULE_CBID(cuGraphExecKernelNodeSetParams_v2), KJOULE_CBID(cuGraphExecKernelNodeSetParams),
       KJOULE_CBID(cuGraphExecMemcpyNodeSetParams), KJOULE_CBID(cuGraphExecMemsetNodeSetParams),
       KJOULE_CBID(cuGraphExecChildGraphNodeSetParams), KJOULE_CBID(cuGraphExecNodeSetParams),
       KJOULE_CBID(cuGraphNodeSetEnabled)});
  add(DriverCallKind::destroy_graph, {KJOULE_CBID(cuGraphExecDestroy)});
  add(DriverCallKind::create_array,
      {KJOULE_CBID(cuArrayCreate_v2), KJOULE_CBID(cuArray3DCreate_v2), KJOULE_CBID(cuMipmappedArrayCreate)});
  add(DriverCallKind::destroy_array, {KJOULE_CBID(cuArrayDestroy), KJOULE_CBID(cuMipmappedArrayDestroy)});
  add(DriverCallKind::host_function,
      {KJOULE_AND_PTSZ(cuLaunchHostFunc), KJOULE_AND_PTSZ(cuStreamAddCallback)});
  add(DriverCallKind::destroy_context,
      {KJOULE_CBID(cuCtxDestroy), KJOULE_CBID(cuCtxDestroy_v2), KJOULE_CBID(cuDevicePrimaryCtxReset),
       KJOULE_CBID(cuDevicePrimaryCtxReset_v2)});
  add(DriverCallKind::unload, {KJOULE_CBID(cuModuleUnload), KJOULE_CBID(cuLibraryUnload)});
  add(DriverCallKind::destroy_stream, {KJOULE_CBID(cuStreamDestroy_v2)});
  add(DriverCallKind::stream_attributes,
      {KJOULE_AND_PTSZ(cuStreamSetAttribute), KJOULE_AND_PTSZ(cuStreamCopyAttributes)});
  add(DriverCallKind::record_event,
      {KJOULE_AND_PTSZ(cuEventRecord), KJOULE_AND_PTSZ(cuEventRecordWithFlags)});
  add(DriverCallKind::wait_for_event, {KJOULE_AND_PTSZ(cuStreamWaitEvent)});
  add(DriverCallKind::capture_begin,
      {KJOULE_AND_PTSZ(cuStreamBeginCapture_v2), KJOULE_AND_PTSZ(cuStreamBeginCapture),
       KJOULE_AND_PTSZ(cuStreamBeginCaptureToGraph)});
  add(DriverCallKind::capture_end, {KJOULE_AND_PTSZ(cuStreamEndCapture)});
}

// clang-format off
#define ID(name) CUPTI_DRIVER_TRACE_CBID_##name
#define ID_PTSZ(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptsz
#define ID_PTDS(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptds

/// Calls that launch, order or change work, or destroy objects that launches use, in a way that kjoule does
/// not follow.
constexpr CUpti_CallbackId kNotReplayable[] = {
    // Launches in forms that read_launch() does not read.
    ID(cuLaunch), ID(cuLaunchGrid), ID(cuLaunchGridAsync), ID(cuLaunchCooperativeKernelMultiDevice),
    // Copies between devices, copies of arrays, batches of copies, and copies and memsets of old forms.
    ID(cuMemcpyHtoD), ID(cu64MemcpyHtoD), ID(cuMemcpyDtoH), ID(cu64MemcpyDtoH), ID(cuMemcpyDtoD),
    ID(cu64MemcpyDtoD), ID(cuMemcpyDtoA), ID(cu64MemcpyDtoA), ID(cuMemcpyAtoD), ID(cu64MemcpyAtoD),
    ID(cuMemcpyHtoA), ID(cuMemcpyAtoH), ID(cuMemcpyAtoA), ID(cuMemcpy2D), ID(cuMemcpy2DUnaligned),
    ID(cuMemcpy3D), ID(cu64Memcpy3D), ID(cuMemcpyHtoDAsync), ID(cu64MemcpyHtoDAsync),
    ID(cuMemcpyDtoHAsync), ID(cu64MemcpyDtoHAsync), ID(cuMemcpyDtoDAsync), ID(cu64MemcpyDtoDAsync),
    ID(cuMemcpyHtoAAsync), ID(cuMemcpyAtoHAsync), ID(cuMemcpy2DAsync), ID(cuMemcpy3DAsync),
    ID(cu64Memcpy3DAsync), ID(cuMemsetD8), ID(cu64MemsetD8), ID(cuMemsetD16), ID(cu64MemsetD16),
    ID(cuMemsetD32), ID(cu64MemsetD32), ID(cuMemsetD2D8), ID(cu64MemsetD2D8), ID(cuMemsetD2D16),
    ID(cu64MemsetD2D16), ID(cuMemsetD2D32), ID(cu64MemsetD2D32), ID(cu64MemsetD8Async),
    ID(cu64MemsetD16Async), ID(cu64MemsetD32Async), ID(cu64MemsetD2D8Async), ID(cu64MemsetD2D16Async),
    ID(cu64MemsetD2D32Async), ID(cu64Memcpy2D), ID(cu64Memcpy2DUnaligned), ID(cu64Memcpy2DAsync),
    ID(cuMemcpy_v2), ID_PTDS(cuMemcpyAtoH_v2), ID_PTSZ(cuMemcpyAtoHAsync_v2), ID_PTDS(cuMemcpyAtoD_v2),
    ID_PTDS(cuMemcpyDtoA_v2), ID_PTDS(cuMemcpyAtoA_v2), ID_PTDS(cuMemcpyHtoA_v2),
    ID_PTSZ(cuMemcpyHtoAAsync_v2), ID_PTDS(cuMemcpyPeer), ID_PTSZ(cuMemcpyPeerAsync),
    ID_PTDS(cuMemcpy3DPeer), ID_PTSZ(cuMemcpy3DPeerAsync), ID_PTSZ(cuMemcpyBatchAsync),
    ID_PTSZ(cuMemcpy3DBatchAsync), ID_PTSZ(cuMemcpyBatchAsync_v2), ID_PTSZ(cuMemcpy3DBatchAsync_v2),
    // Operations in streams that write, wait for, map or discard memory.
    ID_PTSZ(cuStreamAttachMemAsync), ID_PTSZ(cuStreamWaitValue32), ID_PTSZ(cuStreamWriteValue32),
    ID_PTSZ(cuStreamBatchMemOp), ID_PTSZ(cuStreamWaitValue64), ID_PTSZ(cuStreamWriteValue64),
    ID_PTSZ(cuMemMapArrayAsync), ID(cuFlushGPUDirectRDMAWrites), ID_PTSZ(cuStreamWaitValue32_v2),
    ID_PTSZ(cuStreamWaitValue64_v2), ID_PTSZ(cuStreamWriteValue32_v2), ID_PTSZ(cuStreamWriteValue64_v2),
    ID_PTSZ(cuStreamBatchMemOp_v2), ID_PTSZ(cuMemBatchDecompressAsync), ID_PTSZ(cuMemDiscardBatchAsync),
    ID_PTSZ(cuMemDiscardAndPrefetchBatchAsync),
    // Order between contexts, parts of a device, other interfaces and processes.
    ID(cuEventCreateFromNVNSync), ID(cuEventCreateFromEGLSync), ID(cuImportExternalMemory),
    ID(cuExternalMemoryGetMappedMipmappedArray), ID(cuDestroyExternalMemory),
    ID(cuImportExternalSemaphore), ID_PTSZ(cuSignalExternalSemaphoresAsync),
    ID_PTSZ(cuWaitExternalSemaphoresAsync), ID(cuDestroyExternalSemaphore), ID(cuMulticastCreate),
    ID(cuMulticastAddDevice), ID(cuMulticastBindMem), ID(cuMulticastBindAddr), ID(cuMulticastUnbind),
    ID(cuGreenCtxCreate), ID(cuGreenCtxDestroy), ID(cuGreenCtxRecordEvent), ID(cuGreenCtxWaitEvent),
    ID(cuCtxFromGreenCtx), ID(cuCtxRecordEvent), ID(cuCtxWaitEvent), ID(cuGreenCtxStreamCreate),
    ID(cuCheckpointProcessLock), ID(cuCheckpointProcessCheckpoint), ID(cuCheckpointProcessRestore),
    ID(cuCheckpointProcessUnlock), ID(cuStreamCreateForCaptureToCig), ID(cuSemaphoreCreate),
    ID(cuSemaphoreExport), ID(cuSemaphoreDestroy), ID(cuMultiKernelCooperativeDomainCreate),
    ID(cuMultiKernelCooperativeDomainDestroy),
    // Memory that a graphics interface shares, and its order relative to CUDA.
    ID(cuGraphicsUnregisterResource), ID_PTSZ(cuGraphicsMapResources), ID_PTSZ(cuGraphicsUnmapResources),
    ID(cuD3D10UnregisterResource), ID(cuD3D10MapResources), ID(cuD3D10UnmapResources),
    ID(cuD3D9UnregisterResource), ID(cuD3D9MapResources), ID(cuD3D9UnmapResources), ID(cuD3D9Begin),
    ID(cuD3D9End), ID(cuD3D9MapVertexBuffer), ID(cuD3D9UnmapVertexBuffer),
    ID(cuD3D9UnregisterVertexBuffer), ID(cuGLMapBufferObject), ID(cuGLUnmapBufferObject),
    ID(cuGLUnregisterBufferObject), ID(cuGLMapBufferObjectAsync), ID(cuGLUnmapBufferObjectAsync),
    ID(cu64D3D9MapVertexBuffer), ID(cu64GLMapBufferObject), ID(cu64GLMapBufferObjectAsync),
    ID_PTDS(cuGLMapBufferObject_v2), ID_PTSZ(cuGLMapBufferObjectAsync_v2),
    ID(cuEGLStreamConsumerAcquireFrame), ID(cuEGLStreamConsumerReleaseFrame),
    ID(cuEGLStreamProducerPresentFrame), ID(cuEGLStreamProducerReturnFrame), ID(cuNVNbufferGetPointer),
    ID(cuNVNtextureGetArray), ID(cuNNSetAllocator), ID(cuD3D9MapVertexBuffer_v2),
    // Nodes of graphs that are not read, and the release of memory that graphs allocated.
    ID(cuGraphAddExternalSemaphoresSignalNode), ID(cuGraphExternalSemaphoresSignalNodeSetParams),
    ID(cuGraphAddExternalSemaphoresWaitNode), ID(cuGraphExternalSemaphoresWaitNodeSetParams),
    ID(cuGraphExecExternalSemaphoresSignalNodeSetParams),
    ID(cuGraphExecExternalSemaphoresWaitNodeSetParams), ID(cuDeviceGraphMemTrim),
    ID(cuGraphAddBatchMemOpNode), ID(cuGraphBatchMemOpNodeSetParams),
    ID(cuGraphExecBatchMemOpNodeSetParams),
    // Allocations and streams of old forms, and the destruction of objects that launches use.
    ID(cuCtxDetach), ID(cuMemAlloc), ID(cu64MemAlloc), ID(cuMemAllocPitch),
    ID(cu64MemAllocPitch), ID(cuMemFree), ID(cu64MemFree), ID(cuMemAllocHost), ID(cuArrayCreate),
    ID(cuArray3DCreate), ID(cuStreamDestroy), ID(cu64MemHostAlloc), ID(cu64ArrayCreate),
    ID(cu64Array3DCreate), ID(cuMemHostAlloc_v2), ID(cuMemHostRegister),
    ID_PTSZ(cuStreamSetFlags),
    ID(cuCtxResetPersistingL2Cache), ID(cuMemPoolDestroy),
    // Changes of texture and surface references that launches use, and the destruction of objects that
    // launches are given.
    ID(cuTexRefSetArray), ID(cuTexRefSetAddress), ID(cu64TexRefSetAddress), ID(cuTexRefSetAddress2D),
    ID(cu64TexRefSetAddress2D), ID(cuTexRefSetFormat), ID(cuTexRefSetAddressMode),
    ID(cuTexRefSetFilterMode), ID(cuTexRefSetFlags), ID(cuParamSetTexRef), ID(cuSurfRefSetFormat),
    ID(cuSurfRefSetArray), ID(cuTexRefSetAddress_v2), ID(cuTexRefSetAddress2D_v2),
    ID(cuTexRefSetAddress2D_v3), ID(cuTexObjectDestroy), ID(cuSurfObjectDestroy),
    ID(cuTexRefSetMipmappedArray), ID(cuTexRefSetMipmapFilterMode), ID(cuTexRefSetMipmapLevelBias),
    ID(cuTexRefSetMipmapLevelClamp), ID(cuTexRefSetMaxAnisotropy), ID(cuTexRefSetBorderColor)};

/// Calls that neither put work on a device nor order it, and change no memory that launches use.
constexpr CUpti_CallbackId kHarmless[] = {
    // Start, devices, errors, logs and profilers.
    ID(cuInit), ID(cuDriverGetVersion), ID(cuDeviceGet), ID(cuDeviceGetCount), ID(cuDeviceGetName),
    ID(cuDeviceComputeCapability), ID(cuDeviceTotalMem), ID(cuDeviceGetProperties),
    ID(cuDeviceGetAttribute), ID(cuGetExportTable), ID(cu64DeviceTotalMem), ID(cuDeviceTotalMem_v2),
    ID(cuProfilerStart), ID(cuProfilerStop), ID(cuProfilerInitialize), ID(cuDeviceCanAccessPeer),
    ID(cuDeviceGetByPCIBusId), ID(cuDeviceGetPCIBusId), ID(cuGetErrorString), ID(cuGetErrorName),
    ID(cuDeviceGetP2PAttribute), ID(cuDeviceGetUuid), ID(cuDeviceGetLuid),
    ID(cuDeviceGetNvSciSyncAttributes), ID(cuDeviceGetTexture1DLinearMaxWidth),
    ID(cuDeviceGetDefaultMemPool), ID(cuDeviceSetMemPool), ID(cuDeviceGetMemPool), ID(cuGetProcAddress),
    ID(cuDeviceGetGraphMemAttribute), ID(cuDeviceSetGraphMemAttribute),
    ID(cuDeviceGetExecAffinitySupport), ID(cuDeviceGetUuid_v2), ID(cuGetProcAddress_v2),
    ID(cuCoredumpGetAttribute), ID(cuCoredumpGetAttributeGlobal), ID(cuCoredumpSetAttribute),
    ID(cuCoredumpSetAttributeGlobal), ID(cuDeviceRegisterAsyncNotification),
    ID(cuDeviceUnregisterAsyncNotification), ID(cuDeviceGetDevResource), ID(cuDevResourceGenerateDesc),
    ID(cuDevSmResourceSplitByCount), ID(cuLogsRegisterCallback), ID(cuLogsUnregisterCallback),
    ID(cuLogsCurrent), ID(cuLogsDumpToFile), ID(cuLogsDumpToMemory),
    ID(cuCheckpointProcessGetRestoreThreadId), ID(cuCheckpointProcessGetState),
    ID(cuDeviceGetP2PAtomicCapabilities), ID(cuDeviceGetHostAtomicCapabilities),
    ID(cuDriverGetGpuCodeIsaVersion),
    // Contexts. A primary context is counted: an iteration that releases it has also retained it.
    ID(cuCtxCreate), ID(cuCtxAttach), ID(cuCtxPushCurrent), ID(cuCtxPopCurrent), ID(cuCtxGetDevice),
    ID(cuCtxSynchronize), ID(cuCtxSetLimit), ID(cuCtxGetLimit), ID(cuCtxCreate_v2),
    ID(cuCtxGetApiVersion), ID(cuCtxGetCacheConfig), ID(cuCtxSetCacheConfig), ID(cuCtxSetCurrent),
    ID(cuCtxGetCurrent), ID(cuCtxEnablePeerAccess), ID(cuCtxDisablePeerAccess), ID(cuCtxPushCurrent_v2),
    ID(cuCtxPopCurrent_v2), ID(cuCtxSetSharedMemConfig), ID(cuCtxGetSharedMemConfig),
    ID(cuCtxGetStreamPriorityRange), ID(cuDevicePrimaryCtxRetain), ID(cuDevicePrimaryCtxRelease),
    ID(cuDevicePrimaryCtxSetFlags), ID(cuCtxGetFlags), ID(cuDevicePrimaryCtxGetState),
    ID(cuDevicePrimaryCtxRelease_v2), ID(cuDevicePrimaryCtxSetFlags_v2), ID(cuCtxCreate_v3),
    ID(cuCtxGetExecAffinity), ID(cuCtxGetId), ID(cuCtxSetFlags), ID(cuCtxGetDevResource),
    ID(cuGreenCtxGetDevResource), ID(cuCtxCreate_v4), ID(cuGreenCtxGetId), ID(cuCtxGetDevice_v2),
    ID(cuCtxSynchronize_v2),
    // Code and its settings. ModuleGlobals finds the variables of the code by its modules.
    ID(cuModuleLoad), ID(cuModuleLoadData), ID(cuModuleLoadDataEx), ID(cuModuleLoadFatBinary),
    ID(cuModuleGetFunction), ID(cuModuleGetGlobal), ID(cu64ModuleGetGlobal), ID(cuModuleGetTexRef),
    ID(cuFuncSetBlockShape), ID(cuFuncSetSharedSize), ID(cuFuncGetAttribute), ID(cuFuncSetCacheConfig),
    ID(cuParamSetSize), ID(cuParamSeti), ID(cuParamSetf), ID(cuParamSetv), ID(cuModuleGetSurfRef),
    ID(cuModuleGetGlobal_v2), ID(cuFuncSetSharedMemConfig), ID(cuLinkCreate), ID(cuLinkAddData),
    ID(cuLinkAddFile), ID(cuLinkComplete), ID(cuLinkDestroy),
    ID(cuOccupancyMaxActiveBlocksPerMultiprocessor), ID(cuCompilePtx), ID(cuBinaryFree),
    ID(cuLinkCreate_v2), ID(cuLinkAddData_v2), ID(cuLinkAddFile_v2), ID(cuOccupancyMaxPotentialBlockSize),
    ID(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    ID(cuOccupancyMaxPotentialBlockSizeWithFlags), ID(cuFuncSetAttribute),
    ID(cuOccupancyAvailableDynamicSMemPerBlock), ID(cuFuncGetModule), ID(cuModuleGetLoadingMode),
    ID(cuOccupancyMaxPotentialClusterSize), ID(cuOccupancyMaxActiveClusters), ID(cuLibraryLoadData),
    ID(cuLibraryLoadFromFile), ID(cuLibraryGetKernel), ID(cuLibraryGetModule), ID(cuKernelGetFunction),
    ID(cuLibraryGetGlobal), ID(cuLibraryGetManaged), ID(cuKernelGetAttribute), ID(cuKernelSetAttribute),
    ID(cuKernelSetCacheConfig), ID(cuTensorMapEncodeTiled), ID(cuTensorMapEncodeIm2col),
    ID(cuTensorMapReplaceAddress), ID(cuLibraryGetUnifiedFunction), ID(cuFuncGetName),
    ID(cuKernelGetName), ID(cuFuncGetParamInfo), ID(cuKernelGetParamInfo), ID(cuModuleGetFunctionCount),
    ID(cuModuleEnumerateFunctions), ID(cuLibraryGetKernelCount), ID(cuLibraryEnumerateKernels),
    ID(cuFuncIsLoaded), ID(cuFuncLoad), ID(cuKernelGetLibrary), ID(cuTensorMapEncodeIm2colWide),
    // Queries and handles of memory. Advice and prefetches move managed memory, but do not change it.
    ID(cuMemGetInfo), ID(cu64MemGetInfo), ID(cuMemGetAddressRange), ID(cu64MemGetAddressRange),
    ID(cuMemHostGetDevicePointer), ID(cu64MemHostGetDevicePointer), ID(cuMemHostGetFlags),
    ID(cuMemGetInfo_v2), ID(cuMemGetAddressRange_v2), ID(cuMemHostGetDevicePointer_v2),
    ID(cuPointerGetAttribute), ID(cuMemPeerRegister), ID(cuMemPeerUnregister),
    ID(cuMemPeerGetDevicePointer), ID(cuIpcGetMemHandle), ID(cuIpcGetEventHandle),
    ID(cuPointerSetAttribute), ID(cuPointerGetAttributes), ID(cuMemAdvise), ID_PTSZ(cuMemPrefetchAsync),
    ID(cuMemRangeGetAttribute), ID(cuMemRangeGetAttributes), ID(cuMemAddressReserve),
    ID(cuMemAddressFree), ID(cuMemRelease), ID(cuMemSetAccess), ID(cuMemExportToShareableHandle),
    ID(cuMemGetAllocationGranularity), ID(cuMemGetAllocationPropertiesFromHandle), ID(cuMemGetAccess),
    ID(cuMemRetainAllocationHandle), ID(cuMemPoolTrimTo), ID(cuMemPoolSetAttribute),
    ID(cuMemPoolGetAttribute), ID(cuMemPoolSetAccess), ID(cuMemPoolCreate),
    ID(cuMemPoolExportToShareableHandle), ID(cuMemPoolImportFromShareableHandle),
    ID(cuMemPoolExportPointer), ID(cuMemPoolGetAccess), ID(cuMemGetHandleForAddressRange),
    ID(cuMemAdvise_v2), ID_PTSZ(cuMemPrefetchAsync_v2), ID_PTSZ(cuMemPrefetchBatchAsync),
    ID(cuMemGetDefaultMemPool), ID(cuMemGetMemPool), ID(cuMemSetMemPool), ID(cuMulticastGetGranularity),
    // Arrays, textures and surfaces.
    ID(cuArrayGetDescriptor), ID(cuArray3DGetDescriptor), ID(cuTexRefCreate), ID(cuTexRefDestroy),
    ID(cuTexRefGetAddress), ID(cu64TexRefGetAddress), ID(cuTexRefGetArray), ID(cuTexRefGetAddressMode),
    ID(cuTexRefGetFilterMode), ID(cuTexRefGetFormat), ID(cuTexRefGetFlags), ID(cuSurfRefCreate),
    ID(cuSurfRefDestroy), ID(cuSurfRefGetFormat), ID(cuSurfRefGetArray), ID(cu64ArrayGetDescriptor),
    ID(cu64Array3DGetDescriptor), ID(cuTexRefGetAddress_v2), ID(cuArrayGetDescriptor_v2),
    ID(cuArray3DGetDescriptor_v2), ID(cuTexObjectCreate), ID(cuTexObjectGetResourceDesc),
    ID(cuTexObjectGetTextureDesc), ID(cuSurfObjectCreate), ID(cuSurfObjectGetResourceDesc),
    ID(cuMipmappedArrayGetLevel), ID(cuTexRefGetMipmappedArray), ID(cuTexRefGetMipmapFilterMode),
    ID(cuTexRefGetMipmapLevelBias), ID(cuTexRefGetMipmapLevelClamp), ID(cuTexRefGetMaxAnisotropy),
    ID(cuTexObjectGetResourceViewDesc), ID(cuTexRefGetBorderColor), ID(cuArrayGetSparseProperties),
    ID(cuMipmappedArrayGetSparseProperties), ID(cuArrayGetPlane), ID(cuArrayGetMemoryRequirements),
    ID(cuMipmappedArrayGetMemoryRequirements),
    // Streams and events.
    ID(cuEventCreate), ID(cuEventQuery), ID(cuEventSynchronize), ID(cuEventDestroy),
    ID(cuEventElapsedTime), ID(cuStreamCreate), ID_PTSZ(cuStreamQuery), ID_PTSZ(cuStreamSynchronize),
    ID(cuEventDestroy_v2), ID(cuStreamCreateWithPriority), ID_PTSZ(cuStreamGetPriority),
    ID_PTSZ(cuStreamGetFlags), ID_PTSZ(cuStreamGetCtx), ID_PTSZ(cuStreamIsCapturing),
    ID_PTSZ(cuStreamGetCaptureInfo), ID(cuThreadExchangeStreamCaptureMode),
    ID_PTSZ(cuStreamGetAttribute),
    ID_PTSZ(cuStreamGetCaptureInfo_v2), ID_PTSZ(cuStreamUpdateCaptureDependencies),
    ID_PTSZ(cuStreamGetId), ID_PTSZ(cuStreamGetCaptureInfo_v3),
    ID_PTSZ(cuStreamUpdateCaptureDependencies_v2), ID(cuStreamGetGreenCtx), ID_PTSZ(cuStreamGetCtx_v2),
    ID_PTSZ(cuStreamGetDevice), ID(cuEventElapsedTime_v2),
    // Graphs. Their contents are read when they are instantiated.
    ID(cuGraphCreate), ID(cuGraphAddKernelNode), ID(cuGraphKernelNodeGetParams), ID(cuGraphAddMemcpyNode),
    ID(cuGraphMemcpyNodeGetParams), ID(cuGraphAddMemsetNode), ID(cuGraphMemsetNodeGetParams),
    ID(cuGraphMemsetNodeSetParams), ID(cuGraphNodeGetType), ID(cuGraphGetRootNodes),
    ID(cuGraphNodeGetDependencies), ID(cuGraphNodeGetDependentNodes), ID(cuGraphDestroy),
    ID(cuGraphAddDependencies), ID(cuGraphRemoveDependencies), ID(cuGraphMemcpyNodeSetParams),
    ID(cuGraphKernelNodeSetParams), ID(cuGraphDestroyNode), ID(cuGraphClone), ID(cuGraphNodeFindInClone),
    ID(cuGraphAddChildGraphNode), ID(cuGraphAddEmptyNode), ID(cuGraphChildGraphNodeGetGraph),
    ID(cuGraphAddHostNode), ID(cuGraphHostNodeGetParams), ID(cuGraphHostNodeSetParams),
    ID(cuGraphGetNodes), ID(cuGraphGetEdges), ID(cuGraphExecHostNodeSetParams),
    ID(cuGraphKernelNodeCopyAttributes), ID(cuGraphKernelNodeGetAttribute),
    ID(cuGraphKernelNodeSetAttribute), ID_PTSZ(cuGraphUpload), ID(cuGraphAddEventRecordNode),
    ID(cuGraphAddEventWaitNode), ID(cuGraphEventRecordNodeGetEvent), ID(cuGraphEventWaitNodeGetEvent),
    ID(cuGraphEventRecordNodeSetEvent), ID(cuGraphEventWaitNodeSetEvent),
    ID(cuGraphExecEventRecordNodeSetEvent), ID(cuGraphExecEventWaitNodeSetEvent),
    ID(cuGraphExternalSemaphoresSignalNodeGetParams), ID(cuGraphExternalSemaphoresWaitNodeGetParams),
    ID(cuGraphDebugDotPrint), ID(cuUserObjectCreate), ID(cuUserObjectRetain), ID(cuUserObjectRelease),
    ID(cuGraphRetainUserObject), ID(cuGraphReleaseUserObject), ID(cuGraphAddMemAllocNode),
    ID(cuGraphAddMemFreeNode), ID(cuGraphMemAllocNodeGetParams), ID(cuGraphMemFreeNodeGetParams),
    ID(cuGraphNodeGetEnabled), ID(cuGraphExecGetFlags), ID(cuGraphBatchMemOpNodeGetParams),
    ID(cuGraphAddKernelNode_v2), ID(cuGraphKernelNodeGetParams_v2), ID(cuGraphKernelNodeSetParams_v2),
    ID(cuGraphAddNode), ID(cuGraphNodeSetParams), ID(cuGraphConditionalHandleCreate),
    ID(cuGraphAddNode_v2), ID(cuGraphGetEdges_v2), ID(cuGraphNodeGetDependencies_v2),
    ID(cuGraphNodeGetDependentNodes_v2), ID(cuGraphAddDependencies_v2), ID(cuGraphRemoveDependencies_v2),
    // Graphics interfaces.
    ID(cuGraphicsSubResourceGetMappedArray), ID(cuGraphicsResourceGetMappedPointer),
    ID(cuGraphicsResourceSetMapFlags), ID(cuD3D10GetDevice), ID(cuD3D10CtxCreate),
    ID(cuGraphicsD3D10RegisterResource), ID(cuD3D10RegisterResource), ID(cuD3D10ResourceSetMapFlags),
    ID(cuD3D10ResourceGetMappedArray), ID(cuD3D10ResourceGetMappedPointer),
    ID(cuD3D10ResourceGetMappedSize), ID(cuD3D10ResourceGetMappedPitch),
    ID(cuD3D10ResourceGetSurfaceDimensions), ID(cuD3D11GetDevice), ID(cuD3D11CtxCreate),
    ID(cuGraphicsD3D11RegisterResource), ID(cuD3D9GetDevice), ID(cuD3D9CtxCreate),
    ID(cuGraphicsD3D9RegisterResource), ID(cuD3D9GetDirect3DDevice), ID(cuD3D9RegisterResource),
    ID(cuD3D9ResourceSetMapFlags), ID(cuD3D9ResourceGetSurfaceDimensions),
    ID(cuD3D9ResourceGetMappedArray), ID(cuD3D9ResourceGetMappedPointer), ID(cuD3D9ResourceGetMappedSize),
    ID(cuD3D9ResourceGetMappedPitch), ID(cuD3D9RegisterVertexBuffer), ID(cuGLCtxCreate),
    ID(cuGraphicsGLRegisterBuffer), ID(cuGraphicsGLRegisterImage), ID(cuWGLGetDevice), ID(cuGLInit),
    ID(cuGLRegisterBufferObject), ID(cuGLSetBufferObjectMapFlags), ID(cuVDPAUGetDevice),
    ID(cuVDPAUCtxCreate), ID(cuGraphicsVDPAURegisterVideoSurface),
    ID(cuGraphicsVDPAURegisterOutputSurface), ID(cu64D3D10ResourceGetMappedPointer),
    ID(cu64D3D10ResourceGetMappedSize), ID(cu64D3D10ResourceGetMappedPitch),
    ID(cu64D3D10ResourceGetSurfaceDimensions), ID(cu64D3D9ResourceGetSurfaceDimensions),
    ID(cu64D3D9ResourceGetMappedPointer), ID(cu64D3D9ResourceGetMappedSize),
    ID(cu64D3D9ResourceGetMappedPitch), ID(cuD3D11GetDevices), ID(cuD3D11CtxCreateOnDevice),
    ID(cuD3D10GetDevices), ID(cuD3D10CtxCreateOnDevice), ID(cuD3D9GetDevices),
    ID(cuD3D9CtxCreateOnDevice), ID(cuD3D10CtxCreate_v2), ID(cuD3D11CtxCreate_v2), ID(cuD3D9CtxCreate_v2),
    ID(cuGLCtxCreate_v2), ID(cuVDPAUCtxCreate_v2), ID(cuGraphicsResourceGetMappedPointer_v2),
    ID(cuD3D10ResourceGetMappedPointer_v2), ID(cuD3D10ResourceGetMappedSize_v2),
    ID(cuD3D10ResourceGetMappedPitch_v2), ID(cuD3D10ResourceGetSurfaceDimensions_v2),
    ID(cuD3D9ResourceGetSurfaceDimensions_v2), ID(cuD3D9ResourceGetMappedPointer_v2),
    ID(cuD3D9ResourceGetMappedSize_v2), ID(cuD3D9ResourceGetMappedPitch_v2), ID(cuD3D10GetDirect3DDevice),
    ID(cuD3D11GetDirect3DDevice), ID(cuGLGetDevices), ID(cuGraphicsResourceGetMappedMipmappedArray),
    ID(cuGraphicsResourceSetMapFlags_v2), ID(cuGLGetDevices_v2), ID(cuGraphicsEGLRegisterImage),
    ID(cuEGLStreamConsumerConnect), ID(cuEGLStreamConsumerDisconnect), ID(cuEGLStreamProducerConnect),
    ID(cuEGLStreamProducerDisconnect), ID(cuGraphicsResourceGetMappedEglFrame),
    ID(cuEGLStreamConsumerConnectWithFlags), ID(cu64GraphicsResourceGetMappedPointer)};

#undef ID
#undef ID_PTSZ
#undef ID_PTDS
// clang-format on

constexpr KindTable kOthersThanLaunches = [] {
  KindTable table;
  add_handled(table);
  table.add(DriverCallKind::not_replayable, kNotReplayable);
  table.add(DriverCallKind::harmless, kHarmless);
  return table;
}();

/// Computed when the library is loaded, because the array is read at every launch.
const std::array<DriverCallKind, kCallbackIds> kinds = [] {
  std::array<DriverCallKind, kCallbackIds> all = kOthersThanLaunches.kinds();
  for (CUpti_CallbackId id = 0; id < kCallbackIds; ++id)
    if (is_launch(id)) all[id] = DriverCallKind::launch;
  return all;
}();

}  // namespace

DriverCallKind driver_call_kind(CUpti_CallbackId id) {
  return id < kCallbackIds ? kinds[id] : DriverCallKind::unknown;
}

}  // namespace kjoule::cuda

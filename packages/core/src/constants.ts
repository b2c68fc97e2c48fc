// Names that the packages of the SDK share with the server and with SDKs of other languages.

/** Instrumentation scope of all spans that the SDK makes. */
export const SVC_TRACER_NAME = 'svc-sdk'
export const SVC_SDK_NAME = 'javascript'
/** Environment of all data that an experiment records. */
export const SVC_SDK_EXPERIMENT_ENVIRONMENT = 'sdk-experiment'
/** Entry in the baggage that tells a called service that this trace already has a marked application root. */
export const SVC_TRACE_ID_BAGGAGE_KEY = 'svc_trace_id'
/** Default server, if neither an option nor a variable names one. */
export const SVC_DEFAULT_BASE_URL = 'https://cloud.svc.com'

// Names that the packages of the SDK share with the server and with SDKs of other languages.

/** Instrumentation scope of every span that the SDK makes. */
export const SVC_TRACER_NAME = 'svc-sdk'
export const SVC_SDK_NAME = 'javascript'
/** Environment of everything that an experiment records. */
export const SVC_SDK_EXPERIMENT_ENVIRONMENT = 'sdk-experiment'
/** Baggage entry that tells a called service that this trace already has a marked application root. */
export const SVC_TRACE_ID_BAGGAGE_KEY = 'svc_trace_id'
/** Default server, used when neither an option nor a variable names one. */
export const SVC_DEFAULT_BASE_URL = 'https://cloud.svc.com'

// Names that the SDK packages share with the server and with SDKs of other languages.

/** Instrumentation scope of all SDK spans. */
export const SVC_TRACER_NAME = 'svc-sdk'
export const SVC_SDK_NAME = 'javascript'
/** All data of experiments has this environment. */
export const SVC_SDK_EXPERIMENT_ENVIRONMENT = 'sdk-experiment'
/** With this baggage entry, a called service knows that the trace already has a span that is marked as the application's root. */
export const SVC_TRACE_ID_BAGGAGE_KEY = 'svc_trace_id'
/** Default server, if no option or variable names one. */
export const SVC_DEFAULT_BASE_URL = 'https://cloud.svc.com'

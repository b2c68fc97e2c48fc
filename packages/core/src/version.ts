/** Version of all SDK packages. */
export const SVC_SDK_VERSION = '6.0.0'

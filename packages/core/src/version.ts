/** Version of all SDK packages. A test compares this version with the manifests of all packages. */
export const SVC_SDK_VERSION = '6.0.0'

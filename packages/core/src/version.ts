/** Version that all packages of the SDK share. A test compares it with the manifests of all packages. */
export const SVC_SDK_VERSION = '6.0.0'

/** Version that all packages of the SDK share. A test compares this version with every manifest. */
export const SVC_SDK_VERSION = '6.0.0'

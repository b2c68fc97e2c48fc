// This module exports only utilities. Each server is imported from its own subpath of the package (such as `/kafka`), because an import of
// a utility must not load the code of a broker.
export { freePort } from './free-port.ts'
export { preparedDirectory } from './prepared/prepared.ts'
export type { TcpProxy } from './tcp-proxy.ts'
export { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts'
export { waitFor } from './wait-for.ts'

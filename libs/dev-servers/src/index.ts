// What the servers here stand on, and tests use, too. The servers themselves are imported by their subpaths:
// nobody loads a broker to get a port.
export { freePort } from './free-port.ts'
export { preparedDirectory } from './prepared/prepared.ts'
export type { TcpProxy } from './tcp-proxy.ts'
export { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts'
export { waitFor } from './wait-for.ts'

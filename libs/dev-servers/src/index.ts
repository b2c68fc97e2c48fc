// Exports the utilities that the servers and the tests share. The servers have their own subpaths, so that an import of a utility does not
// load a broker.
export { freePort } from './free-port.ts'
export { preparedDirectory } from './prepared/prepared.ts'
export type { TcpProxy } from './tcp-proxy.ts'
export { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts'
export { waitFor } from './wait-for.ts'

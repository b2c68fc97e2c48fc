// Returns the address under which this process can be reached, for the printed URLs and for child processes. The address that a port binds
// to is not always reachable.

const everywhere: readonly string[] = ['0.0.0.0', '::']

/** Returns the host, in URL form, at which programs on this machine reach a server that listens on SVC_BIND. */
export function reachableHost(bind: string): string {
  if (everywhere.includes(bind)) return '127.0.0.1'
  return bind.includes(':') ? `[${bind}]` : bind
}

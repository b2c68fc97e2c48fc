// Builds the addresses of this process for banners and child processes, because the bind address is not always reachable.

const everywhere: readonly string[] = ['0.0.0.0', '::']

/** Returns the host, in URL form, at which this machine reaches a server on SVC_BIND. */
export function reachableHost(bind: string): string {
  if (everywhere.includes(bind)) return '127.0.0.1'
  return bind.includes(':') ? `[${bind}]` : bind
}

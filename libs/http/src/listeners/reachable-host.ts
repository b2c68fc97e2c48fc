// Builds addresses of this process for banners and child processes. The bind address is not always reachable.

const everywhere: readonly string[] = ['0.0.0.0', '::']

/** The host, in URL form, at which this machine reaches a server on SVC_BIND. */
export function reachableHost(bind: string): string {
  if (everywhere.includes(bind)) return '127.0.0.1'
  return bind.includes(':') ? `[${bind}]` : bind
}

// A process says its own addresses (in banners, to its own children): where it listens is not always where it
// is reached.

const everywhere: readonly string[] = ['0.0.0.0', '::']

/** The host, as URLs have it, by which this machine reaches what listens on SVC_BIND. */
export function reachableHost(bind: string): string {
  if (everywhere.includes(bind)) return '127.0.0.1'
  return bind.includes(':') ? `[${bind}]` : bind
}

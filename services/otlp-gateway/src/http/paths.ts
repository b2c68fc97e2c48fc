// Maps a request line to its endpoint. Real clients send query strings, and send doubled slashes if their base URL has a trailing slash.

export type Endpoint = 'traces' | 'metrics' | 'logs' | 'health' | 'ready'

const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/api/public/otel/v1/traces', 'traces'],
  ['/v1/traces', 'traces'],
  ['/api/public/otel/v1/metrics', 'metrics'],
  ['/v1/metrics', 'metrics'],
  ['/api/public/otel/v1/logs', 'logs'],
  ['/v1/logs', 'logs'],
  ['/api/public/health', 'health'],
  ['/api/public/ready', 'ready'],
])

/** Supported methods, in the order of the `Allow` header. */
export const methodsOf: Readonly<Record<Endpoint, readonly string[]>> = {
  traces: ['POST', 'OPTIONS'],
  metrics: ['POST', 'OPTIONS'],
  logs: ['POST', 'OPTIONS'],
  health: ['GET', 'HEAD', 'OPTIONS'],
  ready: ['GET', 'HEAD', 'OPTIONS'],
}

export function endpointOf(target: string): Endpoint | undefined {
  return endpoints.get(target) ?? endpoints.get(normalize(target))
}

function normalize(target: string): string {
  // RFC 9112 §3.2.2: a client that uses a proxy sends the whole URL. This code removes the scheme and the host.
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = origin.indexOf('?')
  const path = query === -1 ? origin : origin.slice(0, query)
  const single = path.replace(/\/{2,}/g, '/')
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single
}

export function queryParameter(target: string, name: string): string | undefined {
  const query = target.indexOf('?')
  return query === -1 ? undefined : (new URLSearchParams(target.slice(query)).get(name) ?? undefined)
}

const signals = /(?:^|\/)(?:v1\/)?(traces|metrics)$/

/** Returns the path of the endpoint that the client probably meant. Users often confuse base URLs and endpoints. */
export function rightPath(target: string): string {
  const signal = signals.exec(normalize(target))?.[1] ?? 'traces'
  return `/api/public/otel/v1/${signal}`
}

// Creates the curl command that sends a first span, with the address and the keys filled in.

export interface Filled {
  /** Origin and base path, without a trailing slash. */
  readonly address: string
  readonly publicKey: string
  readonly secretKey: string
}

export function curl({ address, publicKey, secretKey }: Filled): string {
  const attribute = (key: string, value: string) => `{"key":"${key}","value":{"stringValue":"${value}"}}`
  const attributes = [
    attribute('svc.observation.type', 'generation'),
    attribute('svc.observation.input', 'How far is the moon?'),
    attribute('svc.observation.output', '384,400 km'),
    attribute('svc.observation.model.name', 'a-model'),
  ].join(',')
  // The server refuses old spans, so the command creates ids and times when it runs.
  const span =
    '{"traceId":"\'$(od -An -N16 -tx1 /dev/urandom | tr -d " \\n")\'","spanId":"\'$(od -An -N8 -tx1 /dev/urandom | tr -d " \\n")\'",' +
    `"name":"hello","kind":1,"startTimeUnixNano":"'$(date +%s)'000000000","endTimeUnixNano":"'$(date +%s)'500000000","attributes":[${attributes}]}`
  return [
    `curl -sS ${address}/api/public/otel/v1/traces -u '${publicKey}:${secretKey}' \\`,
    `  -H 'content-type: application/json' -H 'x-svc-ingestion-version: 4' \\`,
    `  -d '{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"spans":[${span}]}]}]}'`,
  ].join('\n')
}

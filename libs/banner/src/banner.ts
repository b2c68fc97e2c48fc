// Creates the text that `npm start` and `npm run cluster` print. The text contains commands that send the first span and read its row.

export interface BannerFacts {
  readonly publicUrl: string
  readonly otlpUrl: string
  readonly workerUrl: string
  readonly columnStoreUrl: string
  readonly columnStoreUser: string
  readonly columnStorePassword: string
  readonly columnStoreDatabase: string
  readonly projectId: string
  /** Key pair of the first project. Null if the key was revoked or the project was deleted. */
  readonly keyPair: KeyPair | null
  readonly dataDirectory: string
  /** A one-time sign-in link for the first user. Absent if this user has a password, or if no first user exists. */
  readonly signInUrl?: string
  /** Further lines, each with a name and a text. */
  readonly further?: readonly (readonly [name: string, text: string])[]
  /** Returns the command line that runs `svc` with the arguments in `text`. */
  readonly command?: (text: string) => string
}

interface KeyPair {
  readonly publicKey: string
  readonly secretKey: string
}

/** The returned command calls `date`, so that the span has the current time: the gateway rejects old spans. */
function curlThatSendsASpan({ otlpUrl }: BannerFacts, { publicKey, secretKey }: KeyPair): string {
  const attribute = (key: string, value: string) => `{"key":"${key}","value":{"stringValue":"${value}"}}`
  const attributes = [
    attribute('svc.observation.type', 'generation'),
    attribute('svc.observation.input', 'How far is the moon?'),
    attribute('svc.observation.output', '384,400 km'),
    attribute('svc.observation.model.name', 'a-model'),
    attribute('svc.user.id', 'user-1'),
  ].join(',')
  const span =
    '{"traceId":"\'$(od -An -N16 -tx1 /dev/urandom | tr -d " \\n")\'","spanId":"\'$(od -An -N8 -tx1 /dev/urandom | tr -d " \\n")\'",' +
    `"name":"hello","kind":1,"startTimeUnixNano":"'$(date +%s)'000000000","endTimeUnixNano":"'$(date +%s)'500000000","attributes":[${attributes}]}`
  return [
    `curl -sS ${otlpUrl}/api/public/otel/v1/traces -u '${publicKey}:${secretKey}' \\`,
    `  -H 'content-type: application/json' -H 'x-svc-ingestion-version: 4' \\`,
    `  -d '{"resourceSpans":[{"resource":{"attributes":[${attribute('service.name', 'hello')}]},"scopeSpans":[{"spans":[${span}]}]}]}'`,
  ].join('\n')
}

function queryThatShowsIt({ columnStoreUrl, columnStoreUser, columnStorePassword, columnStoreDatabase }: BannerFacts): string {
  const sql = `SELECT start_time, trace_id, type, name, user_id, input, output FROM ${columnStoreDatabase}.events_core ORDER BY start_time DESC LIMIT 10 FORMAT Vertical`
  return [`curl -sS '${columnStoreUrl}/' -u '${columnStoreUser}:${columnStorePassword}' \\`, `  --data-binary "${sql}"`].join('\n')
}

const curlThatReadsIt = ({ publicUrl }: BannerFacts, { publicKey, secretKey }: KeyPair): string =>
  `curl -sS '${publicUrl}/api/public/v2/observations?fields=core,basic,io&limit=10' -u '${publicKey}:${secretKey}'`

const indent = (text: string) => text.replaceAll(/^/gm, '    ')

const addresses = (facts: BannerFacts): string =>
  [
    ['public API', `${facts.publicUrl}/api/public`],
    ['OTLP/HTTP', `${facts.otlpUrl}/v1/traces  (also ${facts.publicUrl}/api/public/otel/v1/traces)`],
    ['worker', `${facts.workerUrl}/api/health   metrics: ${facts.workerUrl}/metrics`],
    [
      'SQL',
      `${facts.columnStoreUrl}  user ${facts.columnStoreUser}, password ${facts.columnStorePassword}, database ${facts.columnStoreDatabase}`,
    ],
    ...(facts.further ?? []),
  ]
    .map(([name = '', text]) => `${name.padEnd(12)} ${text}`)
    .join('\n')

const exporterVariables = ({ publicUrl }: BannerFacts, { publicKey, secretKey }: KeyPair): string =>
  [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${publicUrl}/api/public/otel`,
    `OTEL_EXPORTER_OTLP_HEADERS='Authorization=Basic%20${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')},x-svc-ingestion-version=4'`,
  ].join('\n')

/** The text has an empty line before and after it. */
export function banner(facts: BannerFacts): string {
  const { keyPair, projectId, command = text => `npm run svc -- ${text}` } = facts
  const blocks = [
    `  svc is running. Data: ${facts.dataDirectory}`,
    indent(addresses(facts)),
    ...(facts.signInUrl === undefined
      ? []
      : [`  Sign in to the web app (once, within 7 days; ${command('users link EMAIL')} creates a new link):`, indent(facts.signInUrl)]),
    ...(keyPair === null
      ? [
          '  The first key pair no longer gives access, because it was revoked or its project was deleted. To send spans, create a new key pair:',
          indent(`${command('keys projects')}\n${command('keys create --project ID')}`),
          '  See the rows:',
          indent(queryThatShowsIt(facts)),
        ]
      : [
          indent(`project      ${projectId}\npublic key   ${keyPair.publicKey}\nsecret key   ${keyPair.secretKey}`),
          '  Send a span:',
          indent(curlThatSendsASpan(facts, keyPair)),
          '  Read it (within seconds):',
          indent(curlThatReadsIt(facts, keyPair)),
          '  Or by SQL:',
          indent(queryThatShowsIt(facts)),
          '  Point an OTLP exporter here:',
          indent(exporterVariables(facts, keyPair)),
        ]),
    `  Operators: ${command('--help')}        Stop: Ctrl-C`,
  ]
  return `\n${blocks.join('\n\n')}\n`
}

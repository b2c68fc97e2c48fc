// Finds the exports of the published SDK. The names of the exports contain another brand, so this module searches for the part of the name
// after the brand.
import * as core from 'published-v5-core'
import * as otel from 'published-v5-otel'
import * as tracing from 'published-v5-tracing'

// biome-ignore lint/suspicious/noExplicitAny: tests call every method of this client
export type Client = Readonly<Record<string, any>>

function named<T>(module: object, pattern: RegExp): readonly [name: string, value: T] {
  const found = Object.entries(module).find(([name]) => pattern.test(name))
  if (found === undefined) throw new Error(`The published package has no ${pattern}`)
  return found as [string, T]
}

const [clientName, ClientClass] = named<new (options: object) => Client>(core, /APIClient$/)
/** The published SDK's brand. Tests set SVC_BRAND_ALIASES to it. */
export const brandOfPublished = clientName.replace('APIClient', '').toLowerCase()
export const [, PublishedProcessor] = named<new (options: object) => { forceFlush(): Promise<void>; shutdown(): Promise<void> }>(
  otel,
  /SpanProcessor$/,
)
export const [, setPublishedProvider] = named<(provider: unknown) => void>(tracing, /^set\w+TracerProvider$/)
export const { propagateAttributes, startObservation } = tracing

export const publishedClient = (baseUrl: string, username: string, password: string): Client =>
  new ClientClass({ environment: baseUrl, baseUrl, username, password })

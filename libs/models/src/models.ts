// Calls a model through a project's LLM connection. The caller passes a JSON schema and gets a matching value. libs/outbound sends the
// requests.
import { createFairPlaces } from '@svc-server/fairness/places'
import { parseJson } from '@svc-server/json'
import type { Outbound } from '@svc-server/outbound'
import { openModel } from './adapters.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { type ModelConnection, usesDefaultCredentials } from './connection.ts'
import { CallProblem, type Problem, problemOf } from './problems.ts'

interface Call {
  /** Id of the project. All calls of a project share its slots. */
  readonly owner: string
  readonly connection: ModelConnection
  readonly model: string
  readonly prompt: string
  /** JSON schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>
  /** After transient failures (default 2). */
  readonly maxRetries?: number
  readonly signal?: AbortSignal
}

type Outcome =
  | { readonly kind: 'value'; readonly value: unknown; readonly durationMs: number }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly durationMs: number }

export interface ModelsOptions {
  readonly outbound: Pick<Outbound, 'fetch'>
  /** Time limit of a call, including all of its retries. */
  readonly timeoutMs?: number
  readonly maxResponseBytes?: number
  readonly maxOutputTokens?: number
}

export interface Models {
  /**
   * If the provider fails, resolves with a problem. Rejects with `overloaded` if too many calls are waiting. If `signal` aborts, rejects
   * with the signal's reason.
   */
  generate(call: Call): Promise<Outcome>
}

/** The number of waiting calls is limited, because each waiting call takes memory and a socket. */
const slots = { places: 32, mostOfOne: 4, mostWaiting: 16 }

const shortestSecret = 4

/** Returns the secret texts of a connection, which no message may contain. */
function secretsOf({ secretKey, extraHeaders }: ModelConnection): string[] {
  const values = [secretKey, ...Object.values(extraHeaders)]
  try {
    const parts = parseJson(secretKey)
    if (typeof parts === 'object' && parts !== null)
      for (const part of Object.values(parts)) if (typeof part === 'string') values.push(part)
  } catch {
    // A secret that is not JSON has no parts. `values` already contains the whole secret.
  }
  return values.filter(value => value.length >= shortestSecret).toSorted((a, b) => b.length - a.length)
}

const providersOfDefaults = /^https:\/\/[a-z0-9.-]+\.(amazonaws\.com|amazonaws\.com\.cn|googleapis\.com)\//

/** Ensures that the server's own credentials go only to their provider, whatever the connection's address is. */
function requireTargetOf({ secretKey }: ModelConnection): (url: string) => void {
  if (!usesDefaultCredentials(secretKey)) return () => {}
  return url => {
    if (!providersOfDefaults.test(url))
      throw new CallProblem('address_refused', 'The server’s default credentials are sent only to AWS and Google.')
  }
}

export function createModels({
  outbound,
  timeoutMs = 30_000,
  maxResponseBytes = 1024 * 1024,
  maxOutputTokens = 4_096,
}: ModelsOptions): Models {
  const places = createFairPlaces(slots)

  async function ask(
    { connection, model: name, prompt, schema, maxRetries = 2 }: Call,
    signal: AbortSignal,
    onSecret: (secret: string) => void,
  ) {
    // Suppresses AI SDK warnings on the console.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
    const { generateText, jsonSchema, Output } = await import('ai')
    const { Ajv } = await import('ajv')
    const isValid = new Ajv({ strict: false }).compile(schema)
    const validate = (value: unknown) =>
      isValid(value)
        ? { success: true as const, value }
        : { success: false as const, error: new Error('The value does not match the schema.') }
    const fetch = createBoundedFetch({
      fetch: outbound.fetch,
      maxBytes: maxResponseBytes,
      signal,
      requireTarget: requireTargetOf(connection),
    })
    const model = await openModel(connection, name, { fetch, onSecret })
    const output = Output.object({ schema: jsonSchema(schema, { validate }) })
    return (await generateText({ model, prompt, output, maxRetries, maxOutputTokens, abortSignal: signal })).output
  }

  async function generate(call: Call): Promise<Outcome> {
    const started = performance.now()
    const durationMs = () => Math.round(performance.now() - started)
    const late = AbortSignal.timeout(timeoutMs)
    const secrets = secretsOf(call.connection)
    try {
      const signal = call.signal === undefined ? late : AbortSignal.any([late, call.signal])
      const value = await ask(call, signal, secret => secrets.unshift(secret))
      return { kind: 'value', value, durationMs: durationMs() }
    } catch (error) {
      call.signal?.throwIfAborted()
      const isLate = late.aborted
      const failed = isLate ? new CallProblem('timed_out', `The provider did not respond within ${timeoutMs / 1000} s.`) : error
      return { kind: 'problem', problem: problemOf(failed, secrets), durationMs: durationMs() }
    }
  }

  return { generate: call => places.run(call.owner, () => generate(call)) }
}

// Calls a model through a project's LLM connection. The caller passes a JSON schema and gets a matching value. libs/outbound sends the
// requests. Time, response size, and number of attempts are limited.
import { createFairPlaces } from '@svc-server/fairness/places'
import { parseJson } from '@svc-server/json'
import type { Outbound } from '@svc-server/outbound'
import { openModel } from './adapters.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { type ModelConnection, usesDefaultCredentials } from './connection.ts'
import { CallProblem, type Problem, problemOf } from './problems.ts'

interface Call {
  /** The id of the project. All calls of the project share its slots. */
  readonly owner: string
  readonly connection: ModelConnection
  readonly model: string
  readonly prompt: string
  /** The JSON schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Number of retries after transient failures (default 2). */
  readonly maxRetries?: number
  /** The caller aborts this signal if it no longer needs the value. */
  readonly signal?: AbortSignal
}

type Outcome =
  | { readonly kind: 'value'; readonly value: unknown; readonly durationMs: number }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly durationMs: number }

export interface ModelsOptions {
  readonly outbound: Pick<Outbound, 'fetch'>
  /** Time limit of a call with its retries. */
  readonly timeoutMs?: number
  readonly maxResponseBytes?: number
  readonly maxOutputTokens?: number
}

export interface Models {
  /**
   * If a provider fails, the promise resolves with a problem. If too many calls are waiting, rejects with `overloaded`. If `signal` aborts,
   * rejects with its reason.
   */
  generate(call: Call): Promise<Outcome>
}

/** A waiting call takes memory and a socket. One project's calls must not use all slots. */
const slots = { places: 32, mostOfOne: 4, mostWaiting: 16 }

const shortestSecret = 4

/** Returns all texts that messages must not contain. */
function secretsOf({ secretKey, extraHeaders }: ModelConnection): string[] {
  const values = [secretKey, ...Object.values(extraHeaders)]
  try {
    const parts = parseJson(secretKey)
    if (typeof parts === 'object' && parts !== null)
      for (const part of Object.values(parts)) if (typeof part === 'string') values.push(part)
  } catch {
    // If the secret is not JSON, its whole text is one secret.
  }
  return values.filter(value => value.length >= shortestSecret).toSorted((a, b) => b.length - a.length)
}

const providersOfDefaults = /^https:\/\/[a-z0-9.-]+\.(amazonaws\.com|amazonaws\.com\.cn|googleapis\.com)\//

/** Ensures that the server's own credentials go only to their provider, even if the connection has a different address. */
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
    // The setting suppresses AI SDK warnings on the console.
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

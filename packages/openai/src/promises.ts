// Records results that arrive later. A promise of the OpenAI client parses the response only when the application requests the result. A
// copy made with `then` would request the result immediately, so the application gets the client's own promise.
import { endWhenCollected, keep } from './abandoned.ts'
import type { Recording } from './recording.ts'
import { isStream, recordStream } from './streams.ts'
import { hasMethod } from './values.ts'

interface ApiPromise extends Promise<unknown> {
  asResponse(): Promise<unknown>
  withResponse(): Promise<object>
}

const isApiPromise = (value: unknown): value is ApiPromise => hasMethod(value, 'asResponse') && hasMethod(value, 'withResponse')

export const isPromise = (value: unknown): value is Promise<unknown> => hasMethod(value, 'then')

function settle(result: unknown, recording: Recording): unknown {
  if (isStream(result)) return recordStream(result, recording)
  recording.reply(result)
  return result
}

function refuse(error: unknown, recording: Recording): never {
  recording.fail(error)
  throw error
}

/** Replaces the methods of the promise itself, because the runtime would not treat a proxy of a promise as a promise. */
function recordApiPromise(promise: ApiPromise, recording: Recording): ApiPromise {
  const { then, asResponse, withResponse } = promise
  let result: Promise<unknown> | undefined
  function parsed(): Promise<unknown> {
    keep(recording)
    result ??= then.call(
      promise,
      value => settle(value, recording),
      (error: unknown) => refuse(error, recording),
    )
    return result
  }
  async function unparsed(): Promise<unknown> {
    recording.touch()
    try {
      const response = await asResponse.call(promise)
      recording.touch()
      // The application gets the raw response and reads its body itself. The recording contains the reply only if the application also
      // requests the parsed result.
      setTimeout(() => {
        if (!result) recording.leave()
      }, 0)
      return response
    } catch (error) {
      return refuse(error, recording)
    }
  }
  async function both(): Promise<object> {
    const [data, rest] = await Promise.all([parsed(), withResponse.call(promise)])
    return { ...rest, data }
  }
  recording.touch()
  endWhenCollected(promise, recording)
  return Object.assign(promise, {
    // biome-ignore lint/suspicious/noThenProperty: it replaces the `then` of the promise.
    then: (...given: Parameters<typeof then>) => parsed().then(...given),
    catch: (onError: (error: unknown) => unknown) => parsed().catch(onError),
    finally: (onEnd: () => void) => parsed().finally(onEnd),
    asResponse: unparsed,
    withResponse: both,
  })
}

/** Returns the promise that the application gets. */
export function recordPromise(promise: Promise<unknown>, recording: Recording): Promise<unknown> {
  if (isApiPromise(promise)) return recordApiPromise(promise, recording)
  return promise.then(
    result => settle(result, recording),
    (error: unknown) => refuse(error, recording),
  )
}

// Runs one call to OpenAI's client, and records the call as a generation.
import { propagateAttributes, startObservation } from '@svc/tracing'
import type { SvcConfig } from './config.ts'
import { isPromise, recordPromise } from './promises.ts'
import { Recording } from './recording.ts'
import { requestAttributes } from './request.ts'
import { isRunner, recordRunner } from './runners.ts'
import { isStream, recordStream } from './streams.ts'

function inScope<R>({ traceName, sessionId, userId, tags }: SvcConfig, fn: () => R): R {
  return traceName || sessionId || userId || tags ? propagateAttributes({ traceName, sessionId, userId, tags }, fn) : fn()
}

/** Rethrows errors. Records only calls that throw or return a promise, a stream or a runner. */
export function observeCall(fn: () => unknown, args: readonly unknown[], name: string, config: SvcConfig): unknown {
  const startTime = new Date()
  function start(): Recording {
    const attributes = requestAttributes(args, config)
    const { parentSpanContext } = config
    return new Recording(
      startObservation(name, attributes, { asType: 'generation', startTime, parentSpanContext }),
      attributes.modelParameters,
    )
  }
  return inScope(config, () => {
    let result: unknown
    try {
      result = fn()
    } catch (error) {
      start().fail(error)
      throw error
    }
    if (isPromise(result)) return recordPromise(result, start())
    if (isRunner(result)) recordRunner(result, start())
    else if (isStream(result)) return recordStream(result, start())
    return result
  })
}

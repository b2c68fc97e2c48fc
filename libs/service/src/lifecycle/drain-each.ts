// Drains one after the other, so that who feeds others ends first; and none of them can take the time of the others: one
// that hangs costs its own share of the grace.
import { isAppError } from '@svc-server/errors'
import type { Logger } from '../logs/logger.ts'

export interface Drained {
  readonly name: string
  drain(): Promise<void>
}

export interface DrainOptions {
  /** For all of them. */
  readonly graceMs: number
  readonly logger: Logger
}

/** Resolves with whether it ended in time. */
async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, Math.max(0, timeoutMs), false)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

/**
 * From the last to the first. Each is waited for, for an equal share of the grace that is left; the next one is drained all the same, and one that is slow has
 * until the end of the grace beside it. Resolves with whether all of them are drained; what failed and what is late stands in the log, by name. Never rejects.
 */
export async function drainEach(services: readonly Drained[], { graceMs, logger }: DrainOptions): Promise<boolean> {
  const endsAt = performance.now() + graceMs
  const unfinished = new Map<Drained, Promise<void>>()
  let hasFailed = false
  async function drain(service: Drained): Promise<void> {
    try {
      await service.drain()
    } catch (error) {
      hasFailed = true
      const help = isAppError(error) ? { help: error.operatorHelp } : {}
      logger.error({ err: error, failed: service.name, ...help }, 'A service did not drain')
    }
    unfinished.delete(service)
  }
  const inOrder = services.toReversed()
  for (const [at, service] of inOrder.entries()) {
    const shareMs = (endsAt - performance.now()) / (inOrder.length - at)
    const draining = drain(service)
    unfinished.set(service, draining)
    const ended = await endsWithin(draining, shareMs)
    if (ended) unfinished.delete(service)
    else if (at < inOrder.length - 1)
      logger.warn(
        { slow: service.name, shareMs: Math.round(shareMs) },
        'A service is still in its drain; the next one is drained beside it',
      )
  }
  await endsWithin(Promise.all(unfinished.values()), endsAt - performance.now())
  for (const { name } of unfinished.keys()) logger.error({ late: name }, 'The grace is over and a service is still in its drain')
  return !hasFailed && unfinished.size === 0
}

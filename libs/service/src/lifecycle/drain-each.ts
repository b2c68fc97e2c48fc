// Drains services one after the other, so that producers end before their consumers. A service that hangs uses only its own share of the
// grace period.
import { isAppError } from '@svc-server/errors'
import type { Logger } from '../logs/logger.ts'

export interface Drained {
  readonly name: string
  drain(): Promise<void>
}

export interface DrainOptions {
  /** Grace period for all services together. */
  readonly graceMs: number
  readonly logger: Logger
}

/** True if the work ended in time. */
async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, Math.max(0, timeoutMs), false)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

/**
 * Drains from last to first, and resolves with true if all services are drained. Each service gets an equal share of the remaining grace
 * period. When a service has used up its share, the next service starts to drain, while the slow service continues to drain. Failed and
 * late services are logged by name. Never rejects.
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
      logger.warn({ slow: service.name, shareMs: Math.round(shareMs) }, 'A service is still draining; the next service starts to drain')
  }
  await endsWithin(Promise.all(unfinished.values()), endsAt - performance.now())
  for (const { name } of unfinished.keys()) logger.error({ late: name }, 'The grace period has ended and a service is still draining')
  return !hasFailed && unfinished.size === 0
}

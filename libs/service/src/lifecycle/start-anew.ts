// A start that may have to be tried again: leaders move, and a store that answered a moment ago does not.
import type { Logger } from '../logs/logger.ts'
import type { Service } from './run-until-signal.ts'

/**
 * Creates a service and starts it. What a failed start has begun is over before the failure is told, so that
 * the next try is made of a service of its own.
 */
export async function startAnew<T extends Service>(create: () => Promise<T>, logger: Logger): Promise<T> {
  const made = await create()
  try {
    await made.start()
    return made
  } catch (error) {
    await made.drain().catch((failure: unknown) => logger.warn({ err: failure }, 'What had begun to start did not end well'))
    throw error
  }
}

// Retries a start that can fail transiently, for example because a partition moves to a new leader.
import type { Logger } from '../logs/logger.ts'
import type { Service } from './run-until-signal.ts'

/** If the start fails, drains the service and throws the error, so that the next attempt can create a new service. */
export async function startAnew<T extends Service>(create: () => Promise<T>, logger: Logger): Promise<T> {
  const made = await create()
  try {
    await made.start()
    return made
  } catch (error) {
    await made.drain().catch((failure: unknown) => logger.warn({ err: failure }, 'Components that had started did not stop cleanly'))
    throw error
  }
}

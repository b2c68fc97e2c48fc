// Every adapter of the event log must pass this suite without changes.
import type { LogAdapter } from './adapter.ts'
import { appending } from './appending.ts'
import { consuming } from './consuming.ts'
import { crashing } from './crashing.ts'
import { retaining } from './retaining.ts'

export type { LogAdapter } from './adapter.ts'
export { owning } from './owning.ts'

export function conformance(adapter: LogAdapter): void {
  appending(adapter)
  consuming(adapter)
  retaining(adapter)
  crashing(adapter)
}

// The tables that this writer fills. A new table needs a file in this folder and a line here.
import type { Destinations } from './destination.ts'
import { events } from './events.ts'
import { observations } from './observations.ts'
import { runItems } from './run-items.ts'
import { scores } from './scores.ts'
import { sdkUsage } from './sdk-usage.ts'
import { traces } from './traces.ts'

export const destinations: Destinations = {
  list: [events, observations, traces, scores, runItems, sdkUsage],
  encoderScript: new URL('../encode/worker.ts', import.meta.url),
}

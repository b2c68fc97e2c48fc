// Lists all dashboards.

import type { DashboardSpec } from '../panel.ts'
import { backfill } from './backfill.ts'
import { dataArriving } from './data-arriving.ts'
import { deadLetters } from './dead-letters.ts'
import { log } from './log.ts'
import { propagator } from './propagator.ts'
import { runtime } from './runtime.ts'
import { whoHasToMove } from './who-has-to-move.ts'
import { writer } from './writer.ts'

export const dashboards: readonly DashboardSpec[] = [dataArriving, log, propagator, writer, deadLetters, runtime, backfill, whoHasToMove]

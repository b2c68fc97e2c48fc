// The phases of each script in background_migrations.
import type { BackfillScript } from '@svc-server/relational/backfill-steps'
import { collectChanges, restateChanged } from './late-changes.ts'
import { removeDenied } from './remove-denied.ts'
import type { Phase } from './step.ts'
import { createExperiments } from './steps-experiments.ts'
import { createChildren, sortObservations } from './steps-observations.ts'
import { createRoots, sortTraces } from './steps-traces.ts'

export const phasesOf: Readonly<Record<BackfillScript, readonly Phase[]>> = {
  createRootSpansFromTraces: [sortTraces, createRoots],
  rewriteObservationsToPidTidSorting: [sortObservations],
  backfillEventsFullFromObservations: [createChildren],
  backfillEventsFullFromDatasetRunItems: [createExperiments, collectChanges, restateChanged, removeDenied],
  // This step has no phases, because `chain.ts` drops the tables directly.
  dropPidTidSortingTables: [],
}

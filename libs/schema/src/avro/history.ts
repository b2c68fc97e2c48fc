// Every schema version ever written to a topic. Entries are never removed, because records on the log depend on them.
import command1 from './history/command/1.json' with { type: 'json' }
import deadLetter1 from './history/dead-letter/1.json' with { type: 'json' }
import entity1 from './history/entity/1.json' with { type: 'json' }
import entity2 from './history/entity/2.json' with { type: 'json' }
import ingestionEvent1 from './history/ingestion-event/1.json' with { type: 'json' }
import ledgerRecord1 from './history/ledger-record/1.json' with { type: 'json' }
import ledgerRecord2 from './history/ledger-record/2.json' with { type: 'json' }
import runItem1 from './history/run-item/1.json' with { type: 'json' }
import scoreEvent1 from './history/score-event/1.json' with { type: 'json' }
import sdkUsage1 from './history/sdk-usage/1.json' with { type: 'json' }
import spanBatch1 from './history/span-batch/1.json' with { type: 'json' }
import spanBatch2 from './history/span-batch/2.json' with { type: 'json' }
import spanBatch3 from './history/span-batch/3.json' with { type: 'json' }
import spanBatch4 from './history/span-batch/4.json' with { type: 'json' }
import spanBatch5 from './history/span-batch/5.json' with { type: 'json' }
import spanBatch6 from './history/span-batch/6.json' with { type: 'json' }
import stagedRunItem1 from './history/staged-run-item/1.json' with { type: 'json' }
import traceWindow1 from './history/trace-window/1.json' with { type: 'json' }
import traceWindow2 from './history/trace-window/2.json' with { type: 'json' }
import traceWindow3 from './history/trace-window/3.json' with { type: 'json' }
import type { AvroRecord } from './schema.ts'

const versions = (...files: readonly unknown[]) => files as readonly AvroRecord[]

export const spanBatchHistory = versions(spanBatch1, spanBatch2, spanBatch3, spanBatch4, spanBatch5, spanBatch6)
export const deadLetterHistory = versions(deadLetter1)
export const traceWindowHistory = versions(traceWindow1, traceWindow2, traceWindow3)
export const ledgerRecordHistory = versions(ledgerRecord1, ledgerRecord2)
export const ingestionEventHistory = versions(ingestionEvent1)
export const scoreEventHistory = versions(scoreEvent1)
export const entityHistory = versions(entity1, entity2)
export const runItemHistory = versions(runItem1)
export const stagedRunItemHistory = versions(stagedRunItem1)
export const sdkUsageHistory = versions(sdkUsage1)
export const commandHistory = versions(command1)

import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import { createDeletionRequests, type DeletionRequests } from '@svc-server/deletions/requests'
import type { PublicHealthOptions } from '@svc-server/http/listeners'
import type { EventLog, NewRecord } from '@svc-server/log'
import type { Models } from '@svc-server/models'
import { sdkUpgrade } from '@svc-server/modes/sdk'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { timeWindow } from '@svc-server/otlp/time-window'
import type { Outbound } from '@svc-server/outbound'
import { type PricesOf, pricesOfTiers } from '@svc-server/query/observations'
import { createScoreReader, type ScoreReader } from '@svc-server/query/scores'
import { readModels } from '@svc-server/relational/catalog'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import type { BrandNames } from '@svc-server/schema/brand'
import type { SdkIdentity } from '@svc-server/schema/svc-headers'
import type { SdkUsageCounter } from '@svc-server/sdk-usage'
import type { Cipher } from '@svc-server/secrets'
import type { Metrics } from '@svc-server/service/metrics'
import type { WindowTimes } from '@svc-server/where/trace'
import type { Terms } from '../events/acceptance.ts'
import type { Recorder } from '../events/recorder.ts'
import type { ReadLogStatus } from '../log-status.ts'
import type { MediaAccess } from '../media/media.ts'
import type { MediaUpkeep } from '../media/upkeep.ts'
import type { apiMetrics } from '../metrics.ts'
import type { OidcProvider } from '../oidc/provider.ts'
import { createKnownPrompts, type KnownPrompts } from '../prompts/known.ts'
import type { HasRecentEvents } from '../recent-events.ts'
import { createRunItemStores, type RunItemStores } from '../run-items/stores.ts'
import type { CompleteUntil } from '../scores/complete-until.ts'
import type { ScoreConfigsOf } from '../scores/configs.ts'
import type { PayloadWorkers } from '../work/payload-workers.ts'
import type { Caller } from './callers.ts'
import { createSignInGuesses, type SignInGuesses } from './guesses.ts'
import type { Receipts } from './receipts.ts'
import type { WaitForOptions } from './wait-for.ts'

/** Names of environments are cut to this number of characters before they are cached. */
const maxEnvironment = 4096

interface Given extends PublicHealthOptions, WaitForOptions {
  readonly receipts: Receipts
  /** This object can only read the log. */
  readonly log: Pick<EventLog, 'read' | 'describe' | 'committed' | 'logId'>
  readonly windowTimes: WindowTimes
  /** Brand names that the server accepts in place of `svc`. */
  readonly brandAliases: readonly string[]
  readonly writeMode: WriteMode
  readonly previewOptIn: boolean
  readonly clock: () => number
  readonly payloads: PayloadWorkers
  readonly recorder: Recorder
  readonly configsOf: ScoreConfigsOf
  readonly metrics: Metrics<typeof apiMetrics>
  /** Counts accepted requests, and those that the write mode refuses. */
  readonly sdkUsage: SdkUsageCounter
  readonly completeUntil: CompleteUntil
  readonly logStatus: ReadLogStatus
  readonly hasRecentEvents: HasRecentEvents
  readonly relational: Pick<RelationalStore, 'db' | 'changesOf'>
  /** Undefined if there is no identity provider. */
  readonly oidc: OidcProvider | undefined
  /** Encrypts secrets of users. */
  readonly encryption: Cipher
  /** Sends requests to addresses that users configure. */
  readonly outbound: Outbound
  /** Calls models through LLM connections. */
  readonly models: Models
  readonly media: MediaAccess
  readonly mediaUpkeep: Pick<MediaUpkeep, 'soon'>
  readonly keys: Pick<KeyStore, 'createKeyPair' | 'listKeys' | 'revoke' | 'forget' | 'deleteProject'>
}

export interface Dependencies extends Given {
  readonly environmentOf: (raw: string) => string
  readonly scores: ScoreReader
  readonly columnStore: Pick<ColumnStore, 'query' | 'queryBytes'>
  readonly pricesOf: PricesOf
  readonly deletions: DeletionRequests
  readonly guesses: SignInGuesses
  readonly runItems: RunItemStores
  readonly knownPrompts: KnownPrompts
  /** Resolves when the records are durable. */
  readonly append: (topic: string, records: readonly NewRecord[]) => Promise<void>
  /** Returns the facts that apply to all items of a request, for example the write mode. */
  termsOf(project: Caller, sdk: SdkIdentity): Terms
}

export interface DependencyOptions extends Given {
  readonly brand: BrandNames
  readonly spanMaxAgeMonths: number
  readonly columnStore: Pick<ColumnStore, 'query' | 'queryBytes'>
}

export function createDependencies({ brand, spanMaxAgeMonths, columnStore, ...given }: DependencyOptions): Dependencies {
  const { clock, writeMode, relational, keys } = given
  const environments = createEnvironmentNames(brand)
  const append = async (topic: string, records: readonly NewRecord[]) => void (await given.receipts.append(topic, records).acknowledged)
  return {
    ...given,
    append,
    environmentOf: raw => environments.normalized(raw.slice(0, maxEnvironment)),
    scores: createScoreReader(columnStore),
    columnStore,
    async pricesOf(projectId, ids) {
      const models = await readModels(instance(relational), projectId, ids)
      return new Map(models.map(({ id, tiers }) => [id, pricesOfTiers(tiers)]))
    },
    deletions: createDeletionRequests({ relational, keys, append, clock, writeMode }),
    guesses: createSignInGuesses(clock),
    runItems: createRunItemStores(relational, columnStore),
    knownPrompts: createKnownPrompts(relational),
    termsOf({ projectId, publicKey, scoresOnly }, { name: sdkName, version: sdkVersion }) {
      const receivedAtMs = clock()
      return {
        acceptance: { projectId, apiKey: publicKey, sdkName, sdkVersion, writeMode, receivedAtMs, ingestId: randomUUID() },
        scoresOnly,
        window: timeWindow(receivedAtMs, spanMaxAgeMonths),
        upgrade: sdkUpgrade(sdkName, sdkVersion),
      }
    },
  }
}

// The tables as TypeScript sees them; `migrations/` makes them. Same SQL on PGlite and on PostgreSQL.
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { ModelsTable, PricesTable, PricingTiersTable, PromptsTable } from './catalogue-tables.ts'
import type { DatasetItemsTable, DatasetRunsTable, DatasetsTable, ScoreConfigsTable } from './dataset-tables.ts'
import type { AuditLogsTable, DeletedProjectsTable, PendingDeletionsTable } from './deletion-tables.ts'

interface OrganizationsTable {
  readonly id: string
  readonly name: string
  readonly created_at: Generated<Date>
}

interface ProjectsTable {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly created_at: Generated<Date>
  readonly updated_at: Generated<Date>
  readonly deleted_at: Date | null
  /** Whole days that rows are kept; null and 0: for ever. */
  readonly retention_days: number | null
  readonly metadata: ColumnType<unknown, string | null | undefined, string | null>
}

/** As v3's own column has it. */
export type KeyOwner = 'PROJECT' | 'ORGANIZATION'

interface ApiKeysTable {
  readonly id: string
  readonly public_key: string
  /** Slow hash (scrypt) with its parameters: valid whatever the salt of the server is. */
  readonly hashed_secret_key: string
  /** SHA-256 of secret and server salt: the way a key is found. Null until the key was used under some salt. */
  readonly fast_hashed_secret_key: string | null
  /** Tells which salt the fast hash was made with. */
  readonly fast_hash_salt_id: string | null
  readonly display_secret_key: string
  readonly scope: KeyOwner
  /** Of an organisation's key; that of a project's key is the project's. */
  readonly organization_id: string | null
  readonly project_id: string | null
  readonly note: string | null
  readonly created_at: Generated<Date>
  readonly last_used_at: Date | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

export interface Database {
  readonly organizations: OrganizationsTable
  readonly projects: ProjectsTable
  readonly api_keys: ApiKeysTable
  readonly models: ModelsTable
  readonly pricing_tiers: PricingTiersTable
  readonly prices: PricesTable
  readonly prompts: PromptsTable
  readonly score_configs: ScoreConfigsTable
  readonly datasets: DatasetsTable
  readonly dataset_items: DatasetItemsTable
  readonly dataset_runs: DatasetRunsTable
  readonly pending_deletions: PendingDeletionsTable
  readonly deleted_projects: DeletedProjectsTable
  readonly audit_logs: AuditLogsTable
}

export type ApiKeyRow = Selectable<ApiKeysTable>

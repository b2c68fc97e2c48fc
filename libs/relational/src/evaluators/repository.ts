// Evaluators and their versions (contract §18.8).
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Author, userOf } from '../tenancy/audit.ts'
import { type CursorPage, type CursorPageOf, cursorPageOf } from '../tenancy/cursors.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { sql } from '../tenancy/sql.ts'
import { timesAt } from '../tenancy/times.ts'
import { type Definition, definitionColumns, readDefinition } from './definition.ts'
import { isLegacyTarget } from './legacy.ts'
import { type LegacyMapping, type Mapping, readMappings } from './mapping.ts'

export type { Definition, JudgeDefinition } from './definition.ts'
export type { Mapping } from './mapping.ts'

export interface EvaluatorVersion {
  readonly id: string
  readonly evaluatorId: string
  readonly version: number
  readonly createdByUserId: string | null
  readonly createdAt: Date
  readonly definition: Definition
}

export interface Evaluator {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly createdByUserId: string | null
  /** Null for an active evaluator. */
  readonly paused: { readonly at: Date; readonly reason: string | null; readonly message: string | null } | null
  /** Newest first. A rule without a mapping uses the evaluator's mapping. */
  readonly assignments: readonly { readonly ruleId: string; readonly variableMapping: readonly (Mapping | LegacyMapping)[] | null }[]
  /** True if only legacy rules assign the evaluator. Legacy rules stop when the write mode becomes `events_only`. */
  readonly isLegacy: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The newest version. */
  readonly newest: EvaluatorVersion
}

export interface NewEvaluator {
  readonly name: string
  readonly description: string | null
  readonly definition: Definition
}

const versionOf = (row: RowOf<'evaluator_versions'>): EvaluatorVersion => ({
  ...{ id: row.id, evaluatorId: row.evaluator_id, version: row.version },
  ...{ createdByUserId: row.created_by_user_id, createdAt: row.created_at, definition: readDefinition(row) },
})

const resourceType = 'evaluator'

type Reads = Pick<ProjectRows, 'select' | 'find'>

async function whole(reads: Reads, rows: readonly RowOf<'evaluators'>[]): Promise<readonly Evaluator[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const versions = await reads
    .select('evaluator_versions')
    .selectAll()
    .distinctOn('evaluator_id')
    .where('evaluator_id', 'in', ids)
    .orderBy('evaluator_id')
    .orderBy('version', 'desc')
    .execute()
  const assignments = await reads
    .select('evaluation_rule_evaluator_assignments')
    .selectAll()
    .where('evaluator_id', 'in', ids)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const targets = await reads
    .select('evaluation_rules')
    .select(['id', 'target_object'])
    .where('id', 'in', ['', ...assignments.map(each => each.evaluation_rule_id)])
    .execute()
  const legacyRules = new Set(targets.filter(rule => isLegacyTarget(rule.target_object)).map(({ id }) => id))
  const newest = new Map(versions.map(row => [row.evaluator_id, row]))
  return rows.flatMap(row => {
    const version = newest.get(row.id)
    if (version === undefined) return []
    const paused = row.blocked_at && { at: row.blocked_at, reason: row.block_reason, message: row.block_message }
    const own = assignments.filter(each => each.evaluator_id === row.id)
    return {
      ...{ id: row.id, name: row.name, description: row.description, createdByUserId: row.created_by_user_id, paused },
      assignments: own.map(each => ({ ruleId: each.evaluation_rule_id, variableMapping: readMappings(each.variable_mapping) })),
      isLegacy: own.length > 0 && own.every(each => legacyRules.has(each.evaluation_rule_id)),
      ...{ createdAt: row.created_at, updatedAt: row.updated_at, newest: versionOf(version) },
    }
  })
}

/** Throws `precondition_failed` for a model that no connection of the project provides. */
async function requireModel(reads: Reads, definition: Definition): Promise<void> {
  if (definition.type === 'code') return
  const { modelConfig } = definition
  if (modelConfig === null) {
    if ((await reads.select('default_llm_models').select('id').executeTakeFirst()) !== undefined) return
    throw new AppError('precondition_failed', 'The project has no default model: set modelConfig.')
  }
  const { provider } = modelConfig
  const found = await reads.select('llm_api_keys').select('id').where('provider', '=', provider).executeTakeFirst()
  if (found !== undefined) return
  throw new AppError('precondition_failed', `The project has no LLM connection of the provider ${provider.slice(0, 100)}.`)
}

const insertVersion = (rows: ProjectRows, by: Author, evaluatorId: string, version: number, definition: Definition) =>
  rows.insertUnder('evaluator_versions', evaluatorId, [
    { id: randomUUID(), created_at: by.at, created_by_user_id: userOf(by), version, ...definitionColumns(definition) },
  ])

/** Throws `precondition_failed` for a model that no connection of the project provides. */
export const createEvaluator = (project: InProject, by: Author, { name, description, definition }: NewEvaluator): Promise<Evaluator> =>
  project.write<Evaluator>(by, async rows => {
    await requireModel(rows, definition)
    const type = definition.type === 'code' ? 'CODE' : 'LLM_AS_JUDGE'
    const row = await rows
      .insert('evaluators', { id: randomUUID(), name, description, type, created_by_user_id: userOf(by), ...timesAt(by.at) })
      .returningAll()
      .executeTakeFirstOrThrow()
    await insertVersion(rows, by, row.id, 1, definition)
    const [value] = await whole(rows, [row])
    return { value: value!, audit: [{ resourceType, resourceId: row.id, action: 'create', after: value }] }
  })

export async function getEvaluator(project: InProject, id: string): Promise<Evaluator | undefined> {
  const row = await project.find('evaluators', id)
  return row && (await whole(project, [row]))[0]
}

/** Newest first. */
export async function listEvaluators(project: InProject, page: CursorPage): Promise<CursorPageOf<Evaluator>> {
  const { rows, ...rest } = await cursorPageOf(project.select('evaluators').selectAll(), 'evaluators', page)
  return { rows: await whole(project, rows), ...rest }
}

/** Newest first. */
export async function listEvaluatorVersions(
  project: InProject,
  id: string,
  page: CursorPage,
): Promise<CursorPageOf<EvaluatorVersion> | undefined> {
  if ((await project.find('evaluators', id)) === undefined) return undefined
  const query = project.select('evaluator_versions').selectAll().where('evaluator_id', '=', id)
  const { rows, ...rest } = await cursorPageOf(query, 'evaluator_versions', page)
  return { rows: rows.map(versionOf), ...rest }
}

export function requireType({ newest }: Evaluator, type: Definition['type']): void {
  if (type !== newest.definition.type) throw new AppError('bad_request', 'The type of an evaluator cannot change.')
}

export interface EvaluatorChange {
  readonly name?: string
  readonly description?: string | null
  /** Must have the evaluator's type. */
  readonly definition?: Definition
}

/**
 * Throws `bad_request` if the type of the new definition differs from the evaluator's type, or if a rule does not map a variable of the new
 * prompt. Throws `precondition_failed` for a model that no connection of the project provides.
 */
export const updateEvaluator = (project: InProject, by: Author, id: string, change: EvaluatorChange): Promise<Evaluator | undefined> =>
  project.writeInTurn<Evaluator | undefined>(
    by,
    async rows => {
      const found = await rows.find('evaluators', id)
      const [before] = found === undefined ? [] : await whole(rows, [found])
      if (before === undefined) return { value: undefined, audit: [] }
      const { definition, ...metadata } = change
      if (definition !== undefined) {
        requireType(before, definition.type)
        await requireModel(rows, definition)
        await insertVersion(rows, by, id, before.newest.version + 1, definition)
      }
      const active = definition === undefined ? {} : { blocked_at: null, block_reason: null, block_message: null }
      const changed = rows
        .update('evaluators')
        .set({ ...metadata, ...active, updated_at: by.at })
        .where('id', '=', id)
      const [value] = await whole(rows, [await changed.returningAll().executeTakeFirstOrThrow()])
      return { value, audit: [{ resourceType, resourceId: id, action: 'update', before, after: value }] }
    },
    `evaluator ${id}`,
  )

/** Deletes the evaluator, and disables rules that have no other evaluator. */
export const deleteEvaluator = (project: InProject, by: Author, id: string): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    const found = await rows.find('evaluators', id)
    if (found === undefined) return { value: false, audit: [] }
    const [before] = await whole(rows, [found])
    await rows.delete('evaluators').where('id', '=', id).execute()
    const rules = before?.assignments.map(({ ruleId }) => ruleId) ?? []
    if (rules.length > 0) {
      const isEmpty = sql<boolean>`not exists (select from evaluation_rule_evaluator_assignments a where a.evaluation_rule_id = evaluation_rules.id)`
      const disabling = rows.update('evaluation_rules').set({ status: 'INACTIVE', updated_at: by.at })
      await disabling.where('id', 'in', rules).where(isEmpty).execute()
    }
    return { value: true, audit: [{ resourceType, resourceId: id, action: 'delete', before }] }
  })

/**
 * After a connection was deleted, pauses the evaluators that use a model of the provider of this connection. `isDefault` means that the
 * default model used this connection and was deleted with it. Evaluators that use the default model are then also paused.
 */
export async function pauseEvaluators(
  rows: ProjectRows,
  by: Author,
  { provider, isDefault }: { readonly provider: string; readonly isDefault: boolean },
): Promise<void> {
  const pause = async (reason: string, message: string, ofModel: ReturnType<typeof sql>) => {
    const newest = sql<boolean>`exists (select from evaluator_versions v where v.evaluator_id = evaluators.id and ${ofModel}
      and v.version = (select max(w.version) from evaluator_versions w where w.evaluator_id = v.evaluator_id))`
    const set = { blocked_at: by.at, block_reason: reason, block_message: message, updated_at: by.at }
    await rows.update('evaluators').set(set).where('type', '=', 'LLM_AS_JUDGE').where('blocked_at', 'is', null).where(newest).execute()
  }
  await pause('LLM_CONNECTION_MISSING', `The LLM connection ${provider} was deleted.`, sql`v.provider = ${provider}`)
  if (isDefault) await pause('DEFAULT_EVAL_MODEL_MISSING', 'The default model was deleted.', sql`v.provider is null`)
}

/** By id. Unknown ids are omitted. */
export async function findEvaluators(reads: Reads, ids: readonly string[]): Promise<ReadonlyMap<string, Evaluator>> {
  const possible = ids.filter(canBeId)
  if (possible.length === 0) return new Map()
  const rows = await reads.select('evaluators').selectAll().where('id', 'in', possible).execute()
  return new Map((await whole(reads, rows)).map(each => [each.id, each]))
}

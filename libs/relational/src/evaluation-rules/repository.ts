// Rules of a project. A rule defines which evaluators run on which observations (contract §18.9). Rules of v3 that work on whole traces or
// datasets can only be disabled and deleted (contract §9.4.7).
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { isLegacyTarget } from '../evaluators/legacy.ts'
import { type LegacyMapping, type Mapping, readMappings } from '../evaluators/mapping.ts'
import { findEvaluators } from '../evaluators/repository.ts'
import { type Author, userOf } from '../tenancy/audit.ts'
import { type CursorPage, type CursorPageOf, cursorPageOf } from '../tenancy/cursors.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { storableJson } from '../tenancy/json.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { sql } from '../tenancy/sql.ts'
import { timesAt } from '../tenancy/times.ts'

interface Assignment {
  readonly evaluatorId: string
  /** Null if the evaluator's own mapping is used. */
  readonly variableMapping: readonly (Mapping | LegacyMapping)[] | null
}

export interface NewRule {
  readonly name: string
  readonly isEnabled: boolean
  /** The rule evaluates this share of the matching observations. The share is greater than 0. */
  readonly sampling: number
  /** The rule's conditions. The caller must validate them first, because the repository does not validate them. */
  readonly filter: readonly unknown[]
  readonly assignments: readonly Assignment[]
}

export interface Rule extends NewRule {
  readonly id: string
  readonly createdByUserId: string | null
  /** True for a rule of v3 that works on whole traces or datasets. Such a rule stops when the write mode becomes `events_only`. */
  readonly isLegacy: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

const maxActive = 500
const resourceType = 'evaluationRule'

type Reads = Pick<ProjectRows, 'select'>
type RuleRow = RowOf<'evaluation_rules'>

async function whole(reads: Reads, rows: readonly RuleRow[]): Promise<readonly Rule[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const query = reads.select('evaluation_rule_evaluator_assignments').selectAll().where('evaluation_rule_id', 'in', ids)
  const assignments = await query.orderBy('created_at').orderBy('id').execute()
  return rows.map(row => ({
    ...{ id: row.id, name: row.name, createdByUserId: row.created_by_user_id, isEnabled: row.status === 'ACTIVE' },
    sampling: Number(row.sampling),
    filter: Array.isArray(row.filter) ? row.filter : [],
    assignments: assignments
      .filter(each => each.evaluation_rule_id === row.id)
      .map(each => ({ evaluatorId: each.evaluator_id, variableMapping: readMappings(each.variable_mapping) })),
    isLegacy: isLegacyTarget(row.target_object),
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
  }))
}

/** Throws `bad_request` if an evaluator is unknown or repeated, or has a variable without a mapping. */
async function requireAssignable(rows: ProjectRows, assignments: readonly Assignment[]): Promise<void> {
  const ids = assignments.map(({ evaluatorId }) => evaluatorId)
  if (new Set(ids).size < ids.length) throw new AppError('bad_request', 'Each evaluator can be assigned once.')
  const found = await findEvaluators(rows, ids)
  for (const { evaluatorId, variableMapping } of assignments) {
    const evaluator = found.get(evaluatorId)
    if (evaluator === undefined) throw new AppError('bad_request', `There is no evaluator ${evaluatorId.slice(0, 80)}.`)
    const { definition } = evaluator.newest
    if (definition.type === 'code') continue
    const mapped = (variableMapping ?? definition.variableMapping ?? []).map(({ variable }) => variable)
    const missing = definition.variables.find(variable => !mapped.includes(variable))
    if (missing !== undefined)
      throw new AppError('bad_request', `No mapping fills the variable ${missing.slice(0, 80)} of the evaluator ${evaluatorId}.`)
    const surplus = mapped.find((variable, at) => !definition.variables.includes(variable) || mapped.indexOf(variable) < at)
    if (surplus !== undefined)
      throw new AppError('bad_request', `The mapping names the variable ${surplus.slice(0, 80)} twice, or the prompt has no such variable.`)
  }
}

async function requireFewActive(rows: ProjectRows, except = ''): Promise<void> {
  const query = rows.select('evaluation_rules').select(sql<string>`count(*)::text`.as('count'))
  const { count } = await query.where('status', '=', 'ACTIVE').where('id', '!=', except).executeTakeFirstOrThrow()
  if (Number(count) >= maxActive) throw new AppError('conflict', `A project can have at most ${maxActive} active evaluation rules.`)
}

async function insertAssignments(rows: ProjectRows, by: Author, ruleId: string, assignments: readonly Assignment[]): Promise<void> {
  if (assignments.length === 0) return
  const given = assignments.map(({ evaluatorId, variableMapping }, at) => ({
    ...{ id: randomUUID(), evaluation_rule_id: ruleId, evaluator_id: evaluatorId, variable_mapping: storableJson(variableMapping) },
    // Each assignment gets a different time, so that the order of the request is preserved.
    ...timesAt(new Date(by.at.getTime() + at)),
  }))
  await rows.insert('evaluation_rule_evaluator_assignments', given).execute()
}

const needsOne = () => new AppError('bad_request', 'An enabled rule needs an evaluator.')
const turn = 'evaluation rules'

/** Throws `bad_request` for an invalid assignment, and `conflict` if too many rules are active. */
export const createRule = (project: InProject, by: Author, { name, isEnabled, sampling, filter, assignments }: NewRule): Promise<Rule> =>
  project.writeInTurn<Rule>(
    by,
    async rows => {
      if (isEnabled && assignments.length === 0) throw needsOne()
      await requireAssignable(rows, assignments)
      if (isEnabled) await requireFewActive(rows)
      const row = await rows
        .insert('evaluation_rules', {
          ...{
            id: randomUUID(),
            name,
            status: isEnabled ? 'ACTIVE' : 'INACTIVE',
            target_object: 'event',
            sampling,
            delay: 0,
            created_by_user_id: userOf(by),
          },
          ...{ filter: storableJson(filter)!, ...timesAt(by.at) },
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await insertAssignments(rows, by, row.id, assignments)
      const [value] = await whole(rows, [row])
      return { value: value!, audit: [{ resourceType, resourceId: row.id, action: 'create', after: value }] }
    },
    turn,
  )

export async function getRule(project: InProject, id: string): Promise<Rule | undefined> {
  const row = await project.find('evaluation_rules', id)
  return row && (await whole(project, [row]))[0]
}

/** Lists rules, newest first. */
export async function listRules(project: InProject, page: CursorPage): Promise<CursorPageOf<Rule>> {
  const { rows, ...rest } = await cursorPageOf(project.select('evaluation_rules').selectAll(), 'evaluation_rules', page)
  return { rows: await whole(project, rows), ...rest }
}

function requireChangeable({ isLegacy }: Rule, { isEnabled, ...other }: Partial<NewRule>): void {
  if (!isLegacy || (isEnabled === false && Object.keys(other).length === 0)) return
  throw new AppError('bad_request', 'A legacy rule of traces or datasets can only be disabled or deleted.')
}

/** Disables the rule in v3's own table, so that a return to v3 does not enable it again. */
const disableInV3 = (rows: ProjectRows, id: string) =>
  rows.update('job_configurations').set({ status: 'INACTIVE' }).where('id', '=', id).execute()

/** Throws the same errors as `createRule`. */
export const updateRule = (project: InProject, by: Author, id: string, change: Partial<NewRule>): Promise<Rule | undefined> =>
  project.writeInTurn<Rule | undefined>(
    by,
    async rows => {
      const found = await rows.find('evaluation_rules', id)
      const [before] = found === undefined ? [] : await whole(rows, [found])
      if (before === undefined) return { value: undefined, audit: [] }
      requireChangeable(before, change)
      const assignments = change.assignments ?? before.assignments
      const isEnabled = change.isEnabled ?? (before.isEnabled && assignments.length > 0)
      if (isEnabled && assignments.length === 0) throw needsOne()
      if (isEnabled && !before.isEnabled) await requireFewActive(rows, id)
      if (change.assignments !== undefined || (isEnabled && !before.isEnabled)) await requireAssignable(rows, assignments)
      if (change.assignments !== undefined) {
        await rows.delete('evaluation_rule_evaluator_assignments').where('evaluation_rule_id', '=', id).execute()
        await insertAssignments(rows, by, id, assignments)
      }
      if (before.isLegacy) await disableInV3(rows, id)
      const { name, sampling, filter } = change
      const set = {
        ...{ status: isEnabled ? 'ACTIVE' : 'INACTIVE', updated_at: by.at },
        ...(name !== undefined && { name }),
        ...(sampling !== undefined && { sampling }),
        ...(filter !== undefined && { filter: storableJson(filter)! }),
      }
      const row = await rows.update('evaluation_rules').set(set).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
      const [value] = await whole(rows, [row])
      return { value, audit: [{ resourceType, resourceId: id, action: 'update', before, after: value }] }
    },
    turn,
  )

export const deleteRule = (project: InProject, by: Author, id: string): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    const found = await rows.find('evaluation_rules', id)
    if (found === undefined) return { value: false, audit: [] }
    const [before] = await whole(rows, [found])
    await rows.delete('evaluation_rules').where('id', '=', id).execute()
    if (before?.isLegacy === true) await disableInV3(rows, id)
    return { value: true, audit: [{ resourceType, resourceId: id, action: 'delete', before }] }
  })

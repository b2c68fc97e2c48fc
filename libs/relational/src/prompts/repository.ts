// Prompts of a project: immutable versions, and labels that move between them (contract §18.1).
import { randomUUID } from 'node:crypto'
import { AppError, isAppError } from '@svc-server/errors'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableJson, storableText } from '../tenancy/json.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { sql } from '../tenancy/sql.ts'
import { timesAt } from '../tenancy/times.ts'
import { type FindPrompt, type PromptReference, type ResolutionGraph, referencesIn, resolveReferences } from './dependencies.ts'
import { latestLabel, type PromptType, productionLabel, requireDistinctPlaceholders, requireLabels, requirePromptName } from './rules.ts'

export interface PromptVersion {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly version: number
  readonly type: PromptType
  /** Text or messages. */
  readonly prompt: unknown
  readonly config: unknown
  readonly labels: readonly string[]
  readonly tags: readonly string[]
  readonly commitMessage: string | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewPrompt {
  readonly name: string
  readonly type: PromptType
  readonly prompt: unknown
  readonly config?: unknown
  readonly labels?: readonly string[]
  /** All versions of the prompt share the tags. If this list is absent or null, the tags stay unchanged. */
  readonly tags?: readonly string[] | null
  readonly commitMessage?: string | null
  /** `API`, or the id of a user. */
  readonly createdBy: string
}

/** The default is the version with the label `production`. */
export interface VersionChoice {
  readonly version?: number
  readonly label?: string
}

type Reading = Pick<ProjectRows, 'select'>

const viewOf = (row: RowOf<'prompts'>): PromptVersion => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  version: row.version,
  type: row.type === 'chat' ? 'chat' : 'text',
  prompt: row.prompt,
  config: row.config,
  labels: row.labels,
  tags: row.tags,
  commitMessage: row.commit_message,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const maxVersion = 2_147_483_647

const hasLabel = (label: string) => sql<boolean>`${label} = any(labels)`

async function find(
  rows: Reading,
  { name, version, label = productionLabel }: PromptReference & VersionChoice,
): Promise<PromptVersion | undefined> {
  if (!canBeId(name) || !canBeId(label)) return undefined
  if (version !== undefined && (!Number.isInteger(version) || version < 1 || version > maxVersion)) return undefined
  const named = rows.select('prompts').selectAll().where('name', '=', name)
  const chosen = version === undefined ? named.where(hasLabel(label)) : named.where('version', '=', version)
  const row = await chosen.orderBy('version', 'desc').limit(1).executeTakeFirst()
  return row && viewOf(row)
}

export const getPrompt = (project: InProject, name: string, choice: VersionChoice = {}): Promise<PromptVersion | undefined> =>
  find(project, { name, ...choice })

export interface ResolvedPromptVersion extends PromptVersion {
  /** Null if the prompt refers to no other prompt. */
  readonly resolutionGraph: ResolutionGraph | null
}

/** Throws `bad_request` if a reference cannot be resolved. */
export async function resolvePrompt(project: InProject, version: PromptVersion): Promise<ResolvedPromptVersion> {
  const { prompt, graph } = await resolveReferences(version, reference => find(project, reference))
  return { ...version, prompt, resolutionGraph: graph }
}

export const hasPromptVersion = async (project: InProject, id: string): Promise<boolean> =>
  (await project.find('prompts', id)) !== undefined

const resourceType = 'prompt'

interface Labeled {
  readonly id: string
  readonly labels: readonly string[]
}

/** Removes the labels from the versions in `others`, because a label belongs to only one version. */
async function takeLabels(rows: ProjectRows, others: readonly Labeled[], labels: readonly string[], at: Date): Promise<void> {
  for (const { id, labels: present } of others) {
    const left = present.filter(label => !labels.includes(label))
    if (left.length < present.length) await rows.update('prompts').set({ labels: left, updated_at: at }).where('id', '=', id).execute()
  }
}

const versionsOf = (rows: Reading, name: string) =>
  rows.select('prompts').select(['id', 'version', 'type', 'labels', 'tags']).where('name', '=', name).orderBy('version', 'desc').execute()

async function insertDependencies(rows: ProjectRows, parentId: string, prompt: unknown, at: Date): Promise<void> {
  const references = referencesIn(prompt)
  if (references.length === 0) return
  const dependencies = references.map(({ name, version = null, label = null }) => ({
    ...{ id: randomUUID(), parent_id: parentId, child_name: name, child_version: version, child_label: label, ...timesAt(at) },
  }))
  await rows.insert('prompt_dependencies', dependencies).execute()
}

/**
 * Creates the next version, which becomes `latest`. Concurrent requests get consecutive version numbers. Throws `bad_request` for a
 * malformed name, label or placeholder, for a type that differs from the type of earlier versions, and for a reference that cannot be
 * resolved.
 */
export async function createPrompt(project: InProject, by: Author, given: NewPrompt): Promise<PromptVersion> {
  const { name, type, prompt, config = {}, labels: wanted = [], tags = null, commitMessage = null, createdBy } = given
  requirePromptName(name)
  requireLabels(wanted)
  requireDistinctPlaceholders(prompt)
  return project.writeInTurn(by, async rows => {
    const versions = await versionsOf(rows, name)
    const [newest] = versions
    if (newest !== undefined && newest.type !== type)
      throw new AppError('bad_request', `Versions of the prompt ${name} have the type ${newest.type}, which cannot change.`)
    const id = randomUUID()
    const version = (newest?.version ?? 0) + 1
    const findOther: FindPrompt = reference => find(rows, reference)
    await resolveReferences({ id, name, version, type, prompt }, findOther)
    const labels = [...new Set([...wanted, latestLabel])]
    await takeLabels(rows, versions, labels, by.at)
    const allTags = tags === null ? (newest?.tags ?? []) : [...new Set(tags.map(storableText))]
    if (tags !== null) await rows.update('prompts').set({ tags: allTags, updated_at: by.at }).where('name', '=', name).execute()
    const row = await rows
      .insert('prompts', {
        ...{ id, name, version, type, labels, tags: allTags, created_by: createdBy, ...timesAt(by.at) },
        ...{ prompt: storableJson(prompt)!, config: storableJson(config) ?? 'null' },
        commit_message: commitMessage === null ? null : storableText(commitMessage),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await insertDependencies(rows, id, prompt, by.at)
    const value = viewOf(row)
    return { value, audit: [{ resourceType, resourceId: id, action: 'create', after: value }] }
  })
}

export interface LabelChange {
  readonly name: string
  readonly version: number
  /** Called while the version is locked, before its labels change. If the guard throws an error, the labels do not change. */
  readonly guard?: (seen: ResolvedPromptVersion) => void
}

/**
 * Passes to `guard` the version that a client would read: its references to other prompts are resolved. If a reference cannot be resolved,
 * `guard` gets the version with the prompt as it is stored, without any resolved reference.
 */
async function guarded(rows: Reading, version: PromptVersion, guard: LabelChange['guard']): Promise<void> {
  if (guard === undefined) return
  const resolved = await resolveReferences(version, reference => find(rows, reference)).catch((error: unknown) => {
    if (!isAppError(error)) throw error
    return { prompt: version.prompt, graph: null }
  })
  guard({ ...version, prompt: resolved.prompt, resolutionGraph: resolved.graph })
}

/** Adds labels to a version, and removes them from the prompt's other versions. Throws `bad_request` for `latest` and malformed labels. */
export async function addLabels(
  project: InProject,
  by: Author,
  { name, version, guard }: LabelChange,
  labels: readonly string[],
): Promise<PromptVersion | undefined> {
  requireLabels(labels)
  if (labels.includes(latestLabel)) throw new AppError('bad_request', `The label ${latestLabel} is always on the newest version.`)
  return project.writeInTurn<PromptVersion | undefined>(by, async rows => {
    const before = await find(rows, { name, version })
    if (before === undefined) return { value: undefined, audit: [] }
    await guarded(rows, before, guard)
    const others = (await versionsOf(rows, name)).filter(({ id }) => id !== before.id)
    await takeLabels(rows, others, labels, by.at)
    const row = await rows
      .update('prompts')
      .set({ labels: [...new Set([...before.labels, ...labels])], updated_at: by.at })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const value = viewOf(row)
    const states = { before: { labels: before.labels }, after: { labels: value.labels } }
    return { value, audit: [{ resourceType, resourceId: before.id, action: 'update', ...states }] }
  })
}

/**
 * Returns undefined if the version does not have the label. Throws `bad_request` for `latest`, and for a label that other prompts refer to.
 */
export async function removeLabel(
  project: InProject,
  by: Author,
  { name, version, guard }: LabelChange,
  label: string,
): Promise<PromptVersion | undefined> {
  if (label === latestLabel) throw new AppError('bad_request', `The label ${latestLabel} is always on the newest version.`)
  return project.writeInTurn<PromptVersion | undefined>(by, async rows => {
    const before = await find(rows, { name, version })
    if (before === undefined || !before.labels.includes(label)) return { value: undefined, audit: [] }
    await guarded(rows, before, guard)
    const referring = (await dependents(rows, name, [], true)).filter(({ child_label }) => child_label === label)
    if (referring.length > 0) throw stillReferred(`the label ${label} of ${name}`, referring)
    const labels = before.labels.filter(each => each !== label)
    const change = rows.update('prompts').set({ labels, updated_at: by.at }).where('id', '=', before.id)
    const value = viewOf(await change.returningAll().executeTakeFirstOrThrow())
    const states = { before: { labels: before.labels }, after: { labels } }
    return { value, audit: [{ resourceType, resourceId: before.id, action: 'update', ...states }] }
  })
}

function stillReferred(what: string, referring: readonly { readonly name: string; readonly version: number }[]): AppError {
  const list = referring.slice(0, 10).map(each => `${each.name} version ${each.version}`)
  return new AppError('bad_request', `Other prompts refer to ${what}: ${list.join(', ')}. Change or delete them first.`)
}

/** Returns the prompts that refer to the deleted versions and are not deleted themselves. */
async function dependents(
  rows: Reading,
  name: string,
  deleted: readonly { readonly id: string; readonly version: number; readonly labels: readonly string[] }[],
  all: boolean,
) {
  const found = await rows
    .select('prompt_dependencies')
    .innerJoin('prompts', 'prompts.id', 'prompt_dependencies.parent_id')
    .select(['prompts.id', 'prompts.name', 'prompts.version', 'child_version', 'child_label'])
    .where('child_name', '=', name)
    .execute()
  const ids = new Set(deleted.map(({ id }) => id))
  return found.filter(
    ({ id, child_version, child_label }) =>
      !ids.has(id) &&
      (all || deleted.some(({ version, labels }) => version === child_version || (child_label !== null && labels.includes(child_label)))),
  )
}

/**
 * Deletes the selected versions, or all versions, and returns how many versions it deleted. The label `latest` moves to the newest
 * remaining version. Throws `bad_request` if other prompts refer to one of the versions.
 */
export async function deletePrompt(project: InProject, by: Author, name: string, { version, label }: VersionChoice = {}): Promise<number> {
  if (!canBeId(name)) return 0
  return project.writeInTurn<number>(by, async rows => {
    const versions = await versionsOf(rows, name)
    const isMeant = (each: (typeof versions)[number]) =>
      (version === undefined || each.version === version) && (label === undefined || each.labels.includes(label))
    const deleted = versions.filter(isMeant)
    const left = versions.filter(each => !isMeant(each))
    if (deleted.length === 0) return { value: 0, audit: [] }
    const referring = await dependents(rows, name, deleted, left.length === 0)
    if (referring.length > 0) throw stillReferred(name, referring)
    const ids = deleted.map(({ id }) => id)
    await rows.delete('prompts').where('id', 'in', ids).execute()
    const [newest] = left
    if (newest !== undefined && !newest.labels.includes(latestLabel)) {
      const labels = [...newest.labels, latestLabel]
      await rows.update('prompts').set({ labels, updated_at: by.at }).where('id', '=', newest.id).execute()
    }
    const entry = { resourceType, action: 'delete' } as const
    return {
      value: deleted.length,
      audit: deleted.map(each => ({ ...entry, resourceId: each.id, before: { name, version: each.version, labels: each.labels } })),
    }
  })
}

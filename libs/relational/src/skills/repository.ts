// Skills of a project: immutable versions, and labels that move between them (contract §18.12).
import { createHash, randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Author, userOf } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableJson } from '../tenancy/json.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface NewFile {
  readonly path: string
  readonly contentType: string
  /** The text, or the hash of a text that the project already has. */
  readonly content: { readonly text: string } | { readonly sha256Hash: string }
}

export interface NewSkillVersion {
  readonly name: string
  readonly description: string
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly files: readonly NewFile[]
  readonly commitMessage: string | null
}

interface SkillFile {
  readonly id: string
  readonly path: string
  readonly blobId: string
  readonly sha256Hash: string
  readonly contentType: string
  readonly contentLength: number
}

export interface SkillVersion extends Omit<NewSkillVersion, 'files'> {
  readonly id: string
  readonly projectId: string
  readonly version: number
  readonly tags: readonly string[]
  /** The labels of the newest version include `latest`. */
  readonly labels: readonly string[]
  readonly createdBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Sorted by path. */
  readonly files: readonly SkillFile[]
}

const resourceType = 'skill'
const latestLabel = 'latest'
const turnOf = (name: string) => `skill ${name}`

/** SHA-256 in base64. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')

type Reads = Pick<ProjectRows, 'select'>
type VersionRow = RowOf<'skill_versions'>

async function skillNamed(reads: Reads, name: string): Promise<RowOf<'skills'> | undefined> {
  if (!canBeId(name)) return undefined
  return reads.select('skills').selectAll().where('name', '=', name).executeTakeFirst()
}

const versionsOf = (reads: Reads, skillId: string) =>
  reads.select('skill_versions').selectAll().where('skill_id', '=', skillId).orderBy('version', 'desc').execute()

async function whole(reads: Reads, skill: RowOf<'skills'>, row: VersionRow, newest: number): Promise<SkillVersion> {
  const files = await reads
    .select('skill_files')
    .innerJoin('skill_blobs', 'skill_blobs.id', 'skill_files.blob_id')
    .select(['skill_files.id', 'skill_files.path', 'skill_files.blob_id', 'skill_blobs.sha256_hash', 'skill_blobs.content_type'])
    .select('skill_blobs.content_length')
    .where('skill_files.skill_version_id', '=', row.id)
    .orderBy('skill_files.path')
    .execute()
  return {
    ...{ id: row.id, projectId: skill.project_id, name: skill.name, description: row.description, tags: skill.tags },
    ...{ frontmatter: row.frontmatter as SkillVersion['frontmatter'], version: row.version, commitMessage: row.commit_message },
    labels: row.version === newest ? [...row.labels, latestLabel] : row.labels,
    ...{ createdBy: row.created_by, createdAt: row.created_at, updatedAt: row.updated_at },
    files: files.map(file => ({
      ...{ id: file.id, path: file.path, blobId: file.blob_id, sha256Hash: file.sha256_hash },
      ...{ contentType: file.content_type, contentLength: file.content_length },
    })),
  }
}

/** Stores new contents and returns their ids. Throws `not_found` for a hash that the project does not have. */
async function blobsOf(rows: ProjectRows, by: Author, files: readonly NewFile[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { content, contentType } of files) {
    const hash = 'text' in content ? hashOf(content.text) : content.sha256Hash
    if ('text' in content) {
      const { text } = content
      const row = { id: randomUUID(), sha256_hash: hash, content_type: contentType, content: text, ...timesAt(by.at) }
      await rows
        .insert('skill_blobs', { ...row, content_length: Buffer.byteLength(text) })
        .onConflict(conflict => conflict.columns(['project_id', 'sha256_hash']).doNothing())
        .execute()
    }
    const found = await rows.select('skill_blobs').select('id').where('sha256_hash', '=', hash).executeTakeFirst()
    if (found === undefined) throw new AppError('not_found', `The project has no file content with the hash ${hash.slice(0, 50)}`)
    ids.push(found.id)
  }
  return ids
}

/** The tags belong to the skill, not to a single version. Throws `not_found` for a hash that the project does not have. */
export const createSkillVersion = (project: InProject, by: Author, given: NewSkillVersion): Promise<SkillVersion> =>
  project.writeInTurn<SkillVersion>(
    by,
    async rows => {
      const { name, description, frontmatter, files, commitMessage } = given
      const known = await skillNamed(rows, name)
      const skill =
        known ??
        (await rows
          .insert('skills', { id: randomUUID(), name, ...timesAt(by.at) })
          .returningAll()
          .executeTakeFirstOrThrow())
      const [newest] = await versionsOf(rows, skill.id)
      const row = await rows
        .insert('skill_versions', {
          ...{ id: randomUUID(), skill_id: skill.id, version: (newest?.version ?? 0) + 1, description, created_by: userOf(by) ?? 'API' },
          ...{ frontmatter: storableJson(frontmatter)!, commit_message: commitMessage, ...timesAt(by.at) },
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const blobs = await blobsOf(rows, by, files)
      const entries = files.map(({ path }, at) => ({
        ...{ id: randomUUID(), skill_version_id: row.id, path, blob_id: blobs[at]!, ...timesAt(by.at) },
      }))
      await rows.insert('skill_files', entries).execute()
      const value = await whole(rows, skill, row, row.version)
      return { value, audit: [{ resourceType, resourceId: row.id, action: 'create', after: value }] }
    },
    turnOf(given.name),
  )

export type VersionChoice = { readonly version: number } | { readonly label: string }

export async function getSkillVersion(project: InProject, name: string, choice: VersionChoice): Promise<SkillVersion | undefined> {
  const skill = await skillNamed(project, name)
  if (skill === undefined) return undefined
  const versions = await versionsOf(project, skill.id)
  const [newest] = versions
  const row =
    'version' in choice
      ? versions.find(({ version }) => version === choice.version)
      : choice.label === latestLabel
        ? newest
        : versions.find(({ labels }) => labels.includes(choice.label))
  return row && newest && whole(project, skill, row, newest.version)
}

/** Replaces the tags of all versions and returns the newest version. */
export const setSkillTags = (project: InProject, by: Author, name: string, tags: readonly string[]): Promise<SkillVersion | undefined> =>
  project.writeInTurn<SkillVersion | undefined>(
    by,
    async rows => {
      const before = await skillNamed(rows, name)
      const [newest] = before === undefined ? [] : await versionsOf(rows, before.id)
      if (before === undefined || newest === undefined) return { value: undefined, audit: [] }
      const change = rows
        .update('skills')
        .set({ tags: [...tags], updated_at: by.at })
        .where('id', '=', before.id)
      const skill = await change.returningAll().executeTakeFirstOrThrow()
      const entry = { resourceType, resourceId: skill.id, action: 'update' as const, before: { tags: before.tags }, after: { tags } }
      return { value: await whole(rows, skill, newest, newest.version), audit: [entry] }
    },
    turnOf(name),
  )

/** Assigns these labels to the version and removes them from the other versions. */
export const setSkillLabels = (
  project: InProject,
  by: Author,
  { name, version }: { readonly name: string; readonly version: number },
  labels: readonly string[],
): Promise<SkillVersion | undefined> =>
  project.writeInTurn<SkillVersion | undefined>(
    by,
    async rows => {
      const skill = await skillNamed(rows, name)
      const versions = skill === undefined ? [] : await versionsOf(rows, skill.id)
      const target = versions.find(each => each.version === version)
      if (skill === undefined || target === undefined) return { value: undefined, audit: [] }
      const own = [...new Set(labels)].filter(label => label !== latestLabel)
      for (const each of versions) {
        const next = each === target ? own : each.labels.filter(label => !own.includes(label))
        if (each !== target && next.length === each.labels.length) continue
        await rows.update('skill_versions').set({ labels: next, updated_at: by.at }).where('id', '=', each.id).execute()
      }
      const value = await whole(rows, skill, { ...target, labels: own, updated_at: by.at }, versions[0]!.version)
      const entry = {
        resourceType,
        resourceId: target.id,
        action: 'update' as const,
        before: { labels: target.labels },
        after: { labels: own },
      }
      return { value, audit: [entry] }
    },
    turnOf(name),
  )

/** Deleting the last version deletes the skill. */
export const deleteSkillVersion = (
  project: InProject,
  by: Author,
  { name, version }: { readonly name: string; readonly version: number },
): Promise<boolean> =>
  project.writeInTurn<boolean>(
    by,
    async rows => {
      const skill = await skillNamed(rows, name)
      const versions = skill === undefined ? [] : await versionsOf(rows, skill.id)
      const target = versions.find(each => each.version === version)
      if (skill === undefined || target === undefined) return { value: false, audit: [] }
      const before = await whole(rows, skill, target, versions[0]!.version)
      await rows.delete('skill_versions').where('id', '=', target.id).execute()
      if (versions.length === 1) await rows.delete('skills').where('id', '=', skill.id).execute()
      return { value: true, audit: [{ resourceType, resourceId: target.id, action: 'delete', before }] }
    },
    turnOf(name),
  )

export interface FileContent {
  readonly sha256Hash: string
  readonly content: string
}

/** Returns the contents in the order of the hashes. */
export async function readFileContents(project: InProject, hashes: readonly string[]): Promise<readonly FileContent[]> {
  const possible = hashes.filter(hash => hash.length === 44 && canBeId(hash))
  if (possible.length === 0) return []
  const rows = await project.select('skill_blobs').select(['sha256_hash', 'content']).where('sha256_hash', 'in', possible).execute()
  const byHash = new Map(rows.map(row => [row.sha256_hash, row.content]))
  return possible.flatMap(sha256Hash => {
    const content = byHash.get(sha256Hash)
    return content === undefined ? [] : [{ sha256Hash, content }]
  })
}

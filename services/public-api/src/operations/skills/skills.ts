// Skills. A skill is a folder of text files, and has numbered versions (contract §18.12).
import * as skills from '@svc-server/api/skills/operations'
import type { CreateSkillVersionRequest } from '@svc-server/api/skills/types'
import { AppError } from '@svc-server/errors'
import { listSkills, type SkillMeta } from '@svc-server/relational/skill-list'
import {
  createSkillVersion,
  deleteSkillVersion,
  getSkillVersion,
  type NewFile,
  readFileContents,
  type SkillVersion,
  setSkillLabels,
  setSkillTags,
} from '@svc-server/relational/skills'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { readFrontMatter } from './front-matter.ts'

const main = 'SKILL.md'
const contentTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

const viewOf = ({ createdAt, updatedAt, ...version }: SkillVersion) => ({
  ...version,
  ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
})

const metaOf = ({ createdAt, updatedAt, ...skill }: SkillMeta) => ({
  ...skill,
  ...{ latestVersionCreatedAt: createdAt.toISOString(), latestVersionLastUpdatedAt: updatedAt.toISOString() },
})

const none = (what: string) => new AppError('not_found', `Skill not found: ${what.slice(0, 200)}`)

type FileInput = z.output<typeof CreateSkillVersionRequest>['files'][number]

/** Throws InvalidBody if the path leads out of the folder or is a duplicate. */
function fileOf(file: FileInput, at: number, paths: readonly string[]): NewFile {
  const { path } = file
  const refuse = (message: string) => new InvalidBody(refused(message, ['files', at, 'path']))
  const segments = path.split('/')
  if (path.includes('\\') || segments.some(segment => segment === '' || segment === '.' || segment === '..'))
    throw refuse('Expected a path within the folder, such as scripts/run.py.')
  if (paths.indexOf(path) < at) throw refuse('A different file already has this path.')
  const contentType = contentTypes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'text/plain'
  return { path, contentType, content: 'content' in file ? { text: file.content } : { sha256Hash: file.sha256Hash } }
}

export const createVersion = handle(skills.createVersion, async ({ project: caller, body }, deps) => {
  const paths = body.files.map(({ path }) => path)
  const files = body.files.map((file, at) => fileOf(file, at, paths))
  const project = inProject(deps.relational, caller.projectId)
  const described = files.find(({ path }) => path === main)?.content
  if (described === undefined) throw new InvalidBody(refused(`A skill needs a file ${main}.`, ['files']))
  const text = 'text' in described ? described.text : (await readFileContents(project, [described.sha256Hash]))[0]?.content
  if (text === undefined) throw new AppError('not_found', `The project has no file content with the hash of ${main}`)
  const given = { ...readFrontMatter(text), files, commitMessage: body.commitMessage ?? null }
  return reply(201, viewOf(await createSkillVersion(project, authorOf(caller, deps), given)))
})

export const list = handle(skills.list, async ({ project: { projectId }, query }, { relational }) => {
  const { page, limit, name, search, tag, fromUpdatedAt, toUpdatedAt } = query
  const filter = {
    ...(name !== undefined && { name }),
    ...(search !== undefined && { search }),
    ...(tag !== undefined && { tag }),
    ...(fromUpdatedAt !== undefined && { fromUpdatedAt: new Date(fromUpdatedAt) }),
    ...(toUpdatedAt !== undefined && { toUpdatedAt: new Date(toUpdatedAt) }),
  }
  const { data, meta } = pageBody({ page, limit }, await listSkills(inProject(relational, projectId), filter, { page, limit }), metaOf)
  return reply(200, { data, meta: { ...meta, hasNextPage: page < meta.totalPages } })
})

export const get = handle(skills.get, async ({ project: { projectId }, params: { skillName }, query }, { relational }) => {
  const { version, label = 'production' } = query
  if (version !== undefined && query.label !== undefined)
    throw new InvalidBody(refused('Give a version or a label, not both.', ['version']), 'query')
  const skill = await getSkillVersion(inProject(relational, projectId), skillName, version === undefined ? { label } : { version })
  if (skill === undefined) throw none(`'${skillName}' with ${version === undefined ? `label '${label}'` : `version ${version}`}`)
  return reply(200, viewOf(skill))
})

export const update = handle(skills.update, async ({ project, params: { skillName }, body: { tags } }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  const skill = await setSkillTags(own, authorOf(project, deps), skillName, [...new Set(tags)])
  if (skill === undefined) throw none(`'${skillName}'`)
  return reply(200, viewOf(skill))
})

export const setLabels = handle(skills.setLabels, async ({ project, params: { skillName: name, skillVersion: version }, body }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  const skill = await setSkillLabels(own, authorOf(project, deps), { name, version }, body.labels)
  if (skill === undefined) throw none(`'${name}' with version ${version}`)
  return reply(200, viewOf(skill))
})

export const deleteVersion = handle(skills.deleteVersion, async ({ project, params: { skillName: name, skillVersion: version } }, deps) => {
  if (!(await deleteSkillVersion(inProject(deps.relational, project.projectId), authorOf(project, deps), { name, version })))
    throw none(`'${name}' with version ${version}`)
  return reply(200, { deleted: true })
})

export const getFileContents = handle(skills.getFileContents, async ({ project: { projectId }, query }, { relational }) => {
  // An unencoded + in a query means a space, so spaces become + again.
  const hashes = query.sha256Hashes.split(',').flatMap(hash => (hash.trim() === '' ? [] : [hash.trim().replaceAll(' ', '+')]))
  if (hashes.length === 0 || hashes.length > 50) throw new InvalidBody(refused('Expected 1 to 50 hashes.', ['sha256Hashes']), 'query')
  return reply(200, { data: await readFileContents(inProject(relational, projectId), hashes) })
})

export const findFileContents = handle(skills.findFileContents, async ({ project: { projectId }, body }, { relational }) =>
  reply(200, { data: await readFileContents(inProject(relational, projectId), body.sha256Hashes) }),
)

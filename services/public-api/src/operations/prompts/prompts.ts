// Prompts: versions that never change, and labels that move between them (contract §18.1).
import { createHash } from 'node:crypto'
import * as prompts from '@svc-server/api/prompts/operations'
import { AppError } from '@svc-server/errors'
import { listPrompts, type PromptFilter, type PromptMeta } from '@svc-server/relational/prompt-list'
import {
  addLabels,
  createPrompt,
  removeLabel as deleteLabel,
  deletePrompt,
  getPrompt,
  type PromptVersion,
  type ResolvedPromptVersion,
  resolvePrompt,
  type VersionChoice,
} from '@svc-server/relational/prompts'
import { type InProject, inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Caller } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, JsonText, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { parameterJson, storedJson } from '../../validation/stored-json.ts'
import type { PromptPlan } from '../../work/bodies.ts'

/** Adds a type to a message. Older servers stored messages without a type. */
function typed(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || 'type' in message) return message
  return { ...message, type: 'role' in message ? 'chatmessage' : 'placeholder' }
}

export function promptText({ prompt, ...version }: PromptVersion & Partial<Pick<ResolvedPromptVersion, 'resolutionGraph'>>): JsonText {
  return new JsonText(
    JSON.stringify({
      ...version,
      prompt: Array.isArray(prompt) ? prompt.map(typed) : prompt,
      resolutionGraph: version.resolutionGraph ?? null,
      isActive: version.labels.includes('production'),
    }),
  )
}

const bothChosen = (path: string) => new InvalidBody(refused('Give a version or a label, not both.', [path]))

/** Throws `not_found`. */
export async function readPrompt(
  projectId: string,
  { name, resolve, ...choice }: VersionChoice & { readonly name: string; readonly resolve: boolean },
  { relational, knownPrompts }: Dependencies,
): Promise<JsonText> {
  const key = JSON.stringify([projectId, name, resolve, choice.version ?? null, choice.label ?? null])
  const { text } = await knownPrompts.get(key, () => promptIn(inProject(relational, projectId), { name, resolve, ...choice }))
  return new JsonText(text)
}

async function promptIn(
  project: InProject,
  { name, resolve, ...choice }: VersionChoice & { readonly name: string; readonly resolve: boolean },
): Promise<JsonText> {
  const found = await getPrompt(project, name, choice)
  if (found === undefined) {
    const which = choice.version === undefined ? `label '${choice.label ?? 'production'}'` : `version ${choice.version}`
    throw new AppError('not_found', `Prompt not found: '${name}' with ${which}`)
  }
  return promptText(resolve ? await resolvePrompt(project, found) : found)
}

/**
 * Headers for the revalidation of a cached response. The ETag is a hash of the response, so it also changes if the text of a referenced
 * prompt changes.
 */
const cacheable = ({ text }: JsonText) => ({
  etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 32)}"`,
  'cache-control': 'private, no-cache',
})

export const get = handle(prompts.get, async ({ project: { projectId }, params: { promptName }, query }, deps) => {
  const { version, label, resolve = true } = query
  if (version !== undefined && label !== undefined) throw bothChosen('version')
  const choice = { ...(version !== undefined && { version }), ...(label !== undefined && { label }) }
  const body = await readPrompt(projectId, { name: promptName, resolve, ...choice }, deps)
  return reply(200, body, cacheable(body))
})

export async function makePrompt(caller: Caller, plan: PromptPlan, deps: Dependencies): Promise<JsonText> {
  const { prompt, config, ...given } = plan
  const made = await createPrompt(inProject(deps.relational, caller.projectId), authorOf(caller, deps), {
    ...given,
    prompt: storedJson(prompt),
    ...(config !== undefined && { config: storedJson(config) }),
    createdBy: 'API',
  })
  return promptText(made)
}

export const create = handle(prompts.create, async ({ project, body }, deps) => reply(201, await makePrompt(project, body, deps)))

const guardOf = (ifMatch: readonly string[] | undefined) =>
  ifMatch === undefined || ifMatch.includes('*')
    ? {}
    : {
        guard(seen: ResolvedPromptVersion) {
          if (ifMatch.includes(cacheable(promptText(seen)).etag)) return
          throw new AppError('stale', `Prompt '${seen.name}' version ${seen.version} has changed since it was read.`)
        },
      }

const noVersion = (name: string, version: number) => new AppError('not_found', `Prompt '${name}' version ${version} not found in project`)

export const updateVersion = handle(prompts.updateVersion, async ({ project, params: { name, version }, body, ifMatch }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  const changed = await addLabels(own, authorOf(project, deps), { name, version, ...guardOf(ifMatch) }, body.newLabels)
  if (changed === undefined) throw noVersion(name, version)
  return reply(200, promptText(changed))
})

export const removeLabel = handle(prompts.removeLabel, async ({ project, params: { name, version, label }, ifMatch }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  const changed = await deleteLabel(own, authorOf(project, deps), { name, version, ...guardOf(ifMatch) }, label)
  if (changed === undefined)
    throw new AppError('not_found', `Prompt '${name}' version ${version} with label '${label}' not found in project`)
  return reply(200, promptText(changed))
})

export const remove = handle(prompts.remove, async ({ project, params: { promptName }, query: { version, label } }, deps) => {
  if (version !== undefined && label !== undefined) throw bothChosen('version')
  const choice = { ...(version !== undefined && { version }), ...(label !== undefined && { label }) }
  const own = inProject(deps.relational, project.projectId)
  if ((await deletePrompt(own, authorOf(project, deps), promptName, choice)) === 0)
    throw new AppError('not_found', `Prompt not found: '${promptName}'`)
  return reply(204)
})

type Condition = NonNullable<PromptFilter['conditions']>[number]

const invalidFilter = (message: string) => new InvalidBody(refused(message, ['filter']))

/** Throws InvalidBody if the filter is not a list. The repository checks the conditions. */
function conditionsOf(filter: string): readonly Condition[] {
  const parsed = parameterJson(filter)
  if (parsed === undefined) throw invalidFilter('Invalid JSON in filter parameter')
  const isCondition = (each: unknown): each is Condition =>
    typeof each === 'object' &&
    each !== null &&
    ['column', 'type', 'operator'].every(key => typeof (each as Record<string, unknown>)[key] === 'string')
  if (!Array.isArray(parsed) || !parsed.every(isCondition)) throw invalidFilter('Expected a list of { type, column, operator, value }.')
  if (parsed.length > 100) throw invalidFilter('Expected at most 100 conditions.')
  return parsed
}

const metaOf = ({ type, lastUpdatedAt, ...meta }: PromptMeta) => ({
  ...meta,
  type: type === 'chat' ? ('chat' as const) : ('text' as const),
  lastUpdatedAt: lastUpdatedAt.toISOString(),
})

export const list = handle(prompts.list, async ({ project: { projectId }, query }, { relational }) => {
  const { page, limit, filter, name, label, tag, fromUpdatedAt, toUpdatedAt } = query
  const simple = {
    ...(name !== undefined && { name }),
    ...(label !== undefined && { label }),
    ...(tag !== undefined && { tag }),
    ...(fromUpdatedAt !== undefined && { fromUpdatedAt: new Date(fromUpdatedAt) }),
    ...(toUpdatedAt !== undefined && { toUpdatedAt: new Date(toUpdatedAt) }),
  }
  const selected = filter === undefined ? simple : { conditions: conditionsOf(filter) }
  const body = pageBody({ page, limit }, await listPrompts(inProject(relational, projectId), selected, { page, limit }), metaOf)
  // Older clients read the paging data from `pagination`.
  return reply(200, { ...body, pagination: body.meta })
})

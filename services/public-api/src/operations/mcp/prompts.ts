// Serves the project's prompts as MCP prompts. The variables of a prompt become its arguments.
import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/sdk/types.js'
import { AppError } from '@svc-server/errors'
import { listPrompts } from '@svc-server/relational/prompt-list'
import { getPrompt, resolvePrompt } from '@svc-server/relational/prompts'
import type { InProject } from '@svc-server/relational/tenancy'

const pageSize = 50

export async function listMcpPrompts(project: InProject, cursor: string | undefined): Promise<ListPromptsResult> {
  const page = cursor === undefined ? 1 : Number(cursor)
  if (!Number.isSafeInteger(page) || page < 1)
    throw new AppError('bad_request', 'The cursor is invalid: send the nextCursor of the previous page unchanged.')
  const { rows, totalItems } = await listPrompts(project, {}, { page, limit: pageSize })
  const choices = [
    { name: 'label', description: 'Label of the version. Default: production.', required: false },
    { name: 'version', description: 'Version of the prompt, instead of a label.', required: false },
  ]
  return {
    prompts: rows.map(({ name, labels }) => ({
      ...{ name, arguments: choices },
      description: `Labels: ${labels.join(', ')}. Additional arguments fill the variables of the prompt.`,
    })),
    ...(page * pageSize < totalItems && { nextCursor: String(page + 1) }),
  }
}

interface StoredMessage {
  readonly role?: unknown
  readonly content?: unknown
}

/**
 * Throws `not_found` if the project has no prompt with this name and the given version or label. Throws `bad_request` if the version is not
 * a whole number of at most nine digits, or if a reference in the prompt cannot be resolved.
 */
export async function getMcpPrompt(project: InProject, name: string, given: Readonly<Record<string, string>>): Promise<GetPromptResult> {
  const { label = 'production', version, ...values } = given
  if (version !== undefined && !/^\d{1,9}$/.test(version)) throw new AppError('bad_request', 'A prompt version must be a whole number.')
  const found = await getPrompt(project, name, version === undefined ? { label } : { version: Number(version) })
  if (found === undefined) throw new AppError('not_found', `Prompt not found: '${name.slice(0, 200)}'`)
  const { prompt } = await resolvePrompt(project, found)
  const filled = (text: string) =>
    text.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (whole, variable: string) => (Object.hasOwn(values, variable) ? values[variable]! : whole))
  const messages: readonly StoredMessage[] = Array.isArray(prompt) ? (prompt as StoredMessage[]) : [{ role: 'user', content: prompt }]
  return {
    // The protocol has only the roles `user` and `assistant`, so every other role becomes `user`. Placeholders for messages have no text
    // and are left out.
    messages: messages.flatMap(({ role, content }) =>
      typeof content === 'string'
        ? [
            {
              role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
              content: { type: 'text' as const, text: filled(content) },
            },
          ]
        : [],
    ),
  }
}

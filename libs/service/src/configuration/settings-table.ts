// Describes settings for --help and for the tables in READMEs. A test compares these tables with the settings.
import { markdownTable } from '../text/markdown-table.ts'
import { hidden, redactText } from '../text/secrets.ts'
import { settingsOf } from './load-settings.ts'
import type { Setting, Settings } from './setting.ts'

function defaultText({ defaults: { embedded, remote }, isSecret }: Setting<unknown>): string | undefined {
  if (remote === undefined || embedded === undefined) return undefined
  if (isSecret) return hidden
  return redactText(remote === embedded ? remote : `${remote}, embedded ${embedded}`)
}

/** Returns a Markdown table with the columns variable, default, valid values, meaning. */
export function settingsTable(...parts: readonly Settings[]): string {
  const rows = settingsOf(parts).map(setting => {
    const text = defaultText(setting)
    const fallback = text === undefined ? (setting.isRequired ? '**required**' : '') : `\`${text}\``
    return [`\`${setting.env}\``, fallback, setting.valid, setting.says]
  })
  return markdownTable(['Variable', 'Default', 'Valid', 'Meaning'], rows)
}

/** Returns a text for a terminal, with one paragraph per variable. */
export const settingsHelp = (...parts: readonly Settings[]): string =>
  settingsOf(parts)
    .map(setting => {
      const text = defaultText(setting)
      const fallback = text === undefined ? (setting.isRequired ? ' (required)' : '') : `=${text}`
      return `  ${setting.env}${fallback}\n      ${setting.says} Valid: ${setting.valid}.`
    })
    .join('\n')

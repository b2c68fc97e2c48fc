// What a schema's variables are, for README tables (a test holds the two together) and for --help.
import type { z } from 'zod'
import { markdownTable } from '../text/markdown-table.ts'
import { describeVariable } from './variable.ts'

/** A Markdown table: variable, default, what is valid, meaning. */
export const envTable = (schema: z.ZodObject): string => {
  const rows = Object.entries(schema.shape).map(([name, variable]) => {
    const { defaultText, required, valid, description } = describeVariable(name, variable as z.ZodType)
    const fallback = defaultText === undefined ? (required ? '**required**' : '') : `\`${defaultText}\``
    return [`\`${name}\``, fallback, valid, description]
  })
  return markdownTable(['Variable', 'Default', 'Valid', 'Meaning'], rows)
}

/** The same for a terminal: a paragraph a variable. */
export const envHelp = (schema: z.ZodObject): string =>
  Object.entries(schema.shape)
    .map(([name, variable]) => {
      const { defaultText, required, valid, description } = describeVariable(name, variable as z.ZodType)
      const fallback = defaultText === undefined ? (required ? ' (required)' : '') : `=${defaultText}`
      return `  ${name}${fallback}\n      ${description} Valid: ${valid}.`
    })
    .join('\n')

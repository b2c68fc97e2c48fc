// The table of variables in a README, generated from the schema; a test holds the two together.
import type { z } from 'zod'
import { markdownTable } from '../markdown-table.ts'
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

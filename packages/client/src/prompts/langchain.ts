// Converts prompts to LangChain's template language. In this language, variables have single braces, and all other braces are doubled.

type Brace = 'variable' | 'json' | 'other'

/** A brace begins JSON if the next non-space character is a quote. */
function opens(text: string, at: number): Brace {
  if (text[at + 1] === '{') return 'variable'
  let next = at + 1
  while (/\s/.test(text[next] ?? '')) next++
  return text[next] === '"' || text[next] === "'" ? 'json' : 'other'
}

/**
 * Doubles the braces of JSON, but no other braces. Each closing brace belongs to the innermost brace that is still open. In `}}}`, two
 * braces can therefore end a variable, and the third brace can end the object around the variable.
 */
function escapeJson(text: string): string {
  const open: Brace[] = []
  let escaped = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === '{') {
      const brace = opens(text, at)
      open.push(brace)
      escaped += brace === 'other' ? '{' : '{{'
      if (brace === 'variable') at++
    } else if (character === '}') {
      const brace = open.pop()
      const isDouble = brace === 'variable' && text[at + 1] === '}'
      escaped += brace === 'json' || isDouble ? '}}' : '}'
      if (isDouble) at++
    } else {
      escaped += character
    }
  }
  return escaped
}

export const toLangchain = (text: string): string => escapeJson(text).replace(/\{\{(\w+)\}\}/g, '{$1}')

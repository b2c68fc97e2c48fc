// A prompt that is one text.
import type { Prompt, TextPrompt } from '@svc/core'
import { toLangchain } from './langchain.ts'
import { PromptClient } from './prompt-client.ts'
import { render, type Variables } from './render.ts'

export class TextPromptClient extends PromptClient {
  readonly type = 'text' as const
  readonly prompt: string
  readonly promptResponse: Extract<Prompt, { type: 'text' }>

  constructor(prompt: TextPrompt, isFallback = false) {
    super(prompt, isFallback)
    this.prompt = prompt.prompt
    this.promptResponse = { ...prompt, type: 'text' }
  }

  /** Returns the text with its variables replaced. Ignores `_placeholders`, because a text prompt has no placeholders. */
  compile(variables?: Variables, _placeholders?: Readonly<Record<string, unknown>>): string {
    return render(this.prompt, variables)
  }

  /** Returns the text as a LangChain template. */
  getLangchainPrompt(_options?: { readonly placeholders?: Readonly<Record<string, unknown>> | undefined }): string {
    return toLangchain(this.prompt)
  }

  toJSON(): string {
    return this.json(this.type, this.prompt)
  }
}

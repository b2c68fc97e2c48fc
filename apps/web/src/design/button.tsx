// Buttons and fields that all pages share.
import type { ButtonHTMLAttributes, InputHTMLAttributes } from 'react'
import css from './controls.module.css'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'quiet' | 'primary' | 'danger'
}

const looks = { plain: '', quiet: css['quiet'], primary: css['primary'], danger: css['danger'] }

export const buttonClass = (look: NonNullable<ButtonProps['look']> = 'plain'): string => `${css['button']} ${looks[look]}`

export function Button({ look = 'plain', type = 'button', className = '', ...rest }: ButtonProps) {
  return <button type={type} className={`${buttonClass(look)} ${className}`} {...rest} />
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string
}

export function Field({ label, ...rest }: FieldProps) {
  return (
    <label className={css['field']}>
      {label}
      <input className={css['input']} {...rest} />
    </label>
  )
}

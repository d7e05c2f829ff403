/** Buttons that open a menu or a panel below them. */
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Guarded } from '../guarded.tsx';
import { lazyPart } from '../lazy-part.ts';
import type { AlertQuestionProps, BelowProps } from './popups.tsx';

const load = () => import('./popups.tsx');
const MenuBelow = lazyPart(async () => (await load()).MenuBelow);
const PanelBelow = lazyPart(async () => (await load()).PanelBelow);
const LoadedQuestion = lazyPart(async () => (await load()).AlertQuestion);

interface PopupButtonProps {
  readonly name: string;
  readonly icon: ReactNode;
  /** Text beside the icon. */
  readonly label?: string;
  readonly className?: string;
  readonly ref?: RefObject<HTMLButtonElement | null>;
}

interface MenuButtonProps extends PopupButtonProps {
  readonly items: readonly { readonly name: string; readonly run: () => void }[];
}

export function MenuButton({ items, ...button }: MenuButtonProps) {
  return (
    <PopupButton {...button} opens="menu">
      {(below) => <MenuBelow {...below} items={items} />}
    </PopupButton>
  );
}

export function PanelButton({
  children,
  ...button
}: PopupButtonProps & { readonly children: ReactNode }) {
  return (
    <PopupButton {...button} opens="dialog">
      {(below) => <PanelBelow {...below}>{children}</PanelBelow>}
    </PopupButton>
  );
}

interface OpensProps extends PopupButtonProps {
  readonly opens: 'menu' | 'dialog';
  readonly children: (below: BelowProps) => ReactNode;
}

function PopupButton({ name, icon, label, className, ref, opens, children }: OpensProps) {
  const own = useRef<HTMLButtonElement>(null);
  const button = ref ?? own;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className ?? 'ins-icon-button'}
        title={name}
        aria-label={label ?? name}
        aria-haspopup={opens}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {icon}
        {label !== undefined && <span>{label}</span>}
      </button>
      {isOpen && (
        <Guarded
          name={name}
          loading={null}
          onClose={() => {
            setOpen(false);
            button.current?.focus();
          }}
        >
          {children({ button, name, onClose: () => setOpen(false) })}
        </Guarded>
      )}
    </>
  );
}

/** A question before something that cannot be undone. */
export function AlertQuestion(props: AlertQuestionProps) {
  return (
    <Guarded name={props.title} loading={null} onClose={props.onClose}>
      <LoadedQuestion {...props} />
    </Guarded>
  );
}

/** Menus, panels, questions and tooltips above the page, from Base UI; loaded with the first that is opened. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Menu } from '@base-ui/react/menu';
import { Popover } from '@base-ui/react/popover';
import { Tooltip } from '@base-ui/react/tooltip';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { ArmedButton } from '../requests/armed-button.tsx';
import './popups.css';

export interface BelowProps {
  /** The button that it opens below of, and that has the focus again when it closes. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly name: string;
  readonly onClose: () => void;
}

interface MenuBelowProps extends BelowProps {
  readonly items: readonly { readonly name: string; readonly run: () => void }[];
}

export function MenuBelow({ button, name, items, onClose }: MenuBelowProps) {
  useLoneClick(onClose);
  return (
    <Menu.Root open modal={false} onOpenChange={closing(button, onClose)}>
      <Menu.Portal>
        <Menu.Positioner className="ins-popup" anchor={button} align="end" sideOffset={4}>
          <Menu.Popup className="ins-popup__box" aria-label={name} finalFocus={button}>
            {items.map((item) => (
              <Menu.Item key={item.name} className="ins-popup__item" onClick={item.run}>
                {item.name}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function PanelBelow({
  button,
  name,
  children,
  onClose,
}: BelowProps & { readonly children: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null);
  useLoneClick(onClose);
  return (
    <Popover.Root open onOpenChange={closing(button, onClose)}>
      <Popover.Portal>
        <Popover.Positioner className="ins-popup" anchor={button} align="end" sideOffset={4}>
          <Popover.Popup
            ref={panel}
            className="ins-popup__box"
            aria-label={name}
            // Not a button in it: the tooltip of that would be the first that Esc closes.
            initialFocus={panel}
            finalFocus={button}
            onKeyDown={wrapTab}
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

const STOPS = ':is(button, select, input):enabled, a[href]';

/** Tab from the last control to the first and back: past them is an invisible one of Base UI. */
function wrapTab(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab') return;
  const panel = event.currentTarget;
  const stops = [...panel.querySelectorAll<HTMLElement>(STOPS)];
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  const at = document.activeElement;
  if (at !== from && !(event.shiftKey && at === panel)) return;
  event.preventDefault();
  to?.focus();
}

export interface Tip {
  readonly anchor: Element;
  readonly text: string;
}

/** A tooltip; who opens it closes it. */
export function TipBeside({ anchor, text }: Tip) {
  return (
    <Tooltip.Root open>
      <Tooltip.Portal>
        <Tooltip.Positioner className="ins-popup ins-tip" anchor={anchor} sideOffset={6}>
          <Tooltip.Popup className="ins-tip__box" role="tooltip">
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** What a click presses that closes what is open above it. */
const PRESSED = '.ins-popup, button, input, select, textarea, label';

/** Let a click beside do nothing but close: it would open the row beneath. */
function useLoneClick(onClose: () => void): void {
  useEffect(() => {
    const end = (click: Event) => {
      click.preventDefault();
      click.stopPropagation();
      onClose();
    };
    const forget = () => window.removeEventListener('click', end, { capture: true });
    const onPress = ({ target }: Event) => {
      forget();
      if (target instanceof Element && target.closest(PRESSED) !== null) return;
      // It closes as soon as the press takes the focus, before there is a click.
      window.addEventListener('click', end, { capture: true, once: true });
      // A press that becomes a drag has none: the next is another's.
      setTimeout(() =>
        window.addEventListener('pointerdown', forget, { capture: true, once: true }),
      );
    };
    window.addEventListener('pointerdown', onPress, { capture: true });
    return () => window.removeEventListener('pointerdown', onPress, { capture: true });
  }, [onClose]);
}

/** Close, but not for a press on the button: that closes by itself, and would open again. */
function closing(button: BelowProps['button'], onClose: () => void) {
  return (
    isOpen: boolean,
    { event, reason }: { readonly event: Event; readonly reason: string },
  ): void => {
    const isOwn = event.target instanceof Node && button.current?.contains(event.target);
    if (!isOpen && !(reason === 'outside-press' && isOwn)) onClose();
  };
}

export interface AlertQuestionProps {
  readonly title: string;
  /** Label of the button that does it, armed some time after it was drawn. */
  readonly confirm: string;
  readonly keep: string;
  /** What it is about: a new value disarms the button. */
  readonly of: unknown;
  readonly isDisabled?: boolean;
  /** What has the focus when it closes. */
  readonly back: RefObject<HTMLElement | null>;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A question before something that cannot be undone; Escape keeps everything as it is. */
export function AlertQuestion(props: AlertQuestionProps) {
  const { title, confirm, keep, of, isDisabled, back, onConfirm, onClose, children } = props;
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="ins-question__backdrop" />
        <AlertDialog.Popup className="ins-question" finalFocus={back}>
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="ins-question__more">
            {children}
          </AlertDialog.Description>
          <div className="ins-question__ways">
            <ArmedButton
              of={of}
              look="danger"
              {...(isDisabled !== undefined && { isDisabled })}
              onPress={() => {
                onClose();
                onConfirm();
              }}
            >
              {confirm}
            </ArmedButton>
            <AlertDialog.Close className="ins-question__keep">{keep}</AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

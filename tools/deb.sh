#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A package of what "make install" installs: build/skep_VERSION_ARCH.deb. For Debian 12 and 13 it is built on 12. usage: tools/deb.sh, by make deb
set -e
umask 022
cd "$(dirname "$0")/.."
version=$(build/skep --version | cut -d' ' -f2)
arch=$(dpkg --print-architecture)
root=build/deb/skep
rm -rf build/deb
mkdir -p $root/DEBIAN $root/etc/default $root/etc/skep $root/usr/share/doc/skep build/deb/debian
make -s install DESTDIR="$PWD/$root" PREFIX=/usr
strip --strip-unneeded $root/usr/bin/skep
gzip -9n $root/usr/share/man/man1/*.1
install -m 644 LICENSE $root/usr/share/doc/skep/copyright
install -m 640 tools/service/agent.conf $root/etc/skep/agent.conf # passwords of servers may be in it
cat >$root/etc/default/skep-agent <<'X'
# Options of skep-agent.service, beside --store
SKEP_AGENT="--config /etc/skep/agent.conf"
X
chmod 640 $root/etc/default/skep-agent # likewise
printf '/etc/default/skep-agent\n/etc/skep/agent.conf\n' >$root/DEBIAN/conffiles
# Libraries that are opened when they are needed are recommended, by the names of Debian 12, and of 13. Capstone 5 is not what it was built for
printf 'Source: skep\n\nPackage: skep\nArchitecture: any\n' >build/deb/debian/control
(cd build/deb && dpkg-shlibdeps -O skep/usr/bin/skep >depends 2>said) || { cat build/deb/said >&2; exit 1; }
depends=$(sed 's/^shlibs:Depends=//' build/deb/depends)
cat >$root/DEBIAN/control <<X
Package: skep
Version: $version
Architecture: $arch
Maintainer: the developers of skep <skep@localhost>
Installed-Size: $(du -sk $root | cut -f1)
Depends: $depends
Recommends: libcapstone4, libmicrohttpd12 | libmicrohttpd12t64, libcurl4 | libcurl4t64, libjson-c5, libdebuginfod1 | libdebuginfod1t64
Section: utils
Priority: optional
Description: profile, count and trace with BPF
 One program instead of the everyday use of perf, strace and BPF scripts:
 counts, samples, flame graphs of programs without frame pointers, system
 calls, probes, the scheduler, packets by process, and an agent that keeps
 profiles of the whole machine.
X
cat >$root/DEBIAN/postinst <<'X'
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
if command -v systemd-sysusers >/dev/null; then systemd-sysusers skep.conf; fi
if getent group skep >/dev/null; then chgrp skep /etc/skep/agent.conf; fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart skep-agent.service
fi
X
cat >$root/DEBIAN/prerm <<'X'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now skep-agent.service; fi
X
cat >$root/DEBIAN/postrm <<'X'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ]; then rm -rf /var/lib/skep; fi
X
chmod 755 $root/DEBIAN/postinst $root/DEBIAN/prerm $root/DEBIAN/postrm
dpkg-deb --root-owner-group --build $root build >/dev/null
echo "build/skep_${version}_$arch.deb"
